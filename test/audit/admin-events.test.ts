import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { AdminEventType } from '@tether/proto/tether/v1/admin_event_pb.ts';
import { AuditService } from '@tether/proto/tether/v1/audit_service_pb.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuditVerbs } from '../../server/lifecycle/audit/audit-verbs.ts';
import { createCredentialVerbs } from '../../server/lifecycle/credentials/credential-verbs.ts';
import { createStopVerbs } from '../../server/lifecycle/stops/stop-verbs.ts';
import { askJson } from '../doors/json-caller.ts';
import { type OpenDoors, openDoors } from '../doors/open-doors.ts';
import { type House, openHouse } from '../support/house.ts';

let house: House;
let doors: OpenDoors;
let operator: string;
let stranger: string;
/** The credential that is made, rotated and revoked. */
let subject: string;
const bot = { role: 'agent', userId: 'bot', scopes: ['s1'], name: 'till', expiresAt: null } as const;

beforeAll(async () => {
  house = await openHouse();
  const { store } = house;
  const stops = createStopVerbs(store.stops, house.catalog);
  const credentials = createCredentialVerbs(store.credentials);
  const audit = createAuditVerbs(store.adminEvents);
  doors = await openDoors({ lifecycle: house.lifecycle, credentials, stops, audit, authenticator: store.credentials });
  operator = (await store.credentials.createTenant('acme')).operator;
  stranger = (await store.credentials.createTenant('globex')).operator;
  const ann = house.principal('operator', { credentialId: 'cred-ann', userId: 'ann' });
  subject = (await credentials.create(ann, bot)).credential.id;
  await credentials.rotate(ann, { credentialId: subject, overlapMs: 60_000 });
  await credentials.revoke(ann, subject);
  await stops.stop(ann, { kind: 'TOOL', name: 'void_ticket', reason: 'It voids twice.' });
  await stops.resume(ann, { kind: 'TOOL', name: 'void_ticket', reason: 'Mended.' });
});
afterAll(async () => {
  await doors.close(1000);
  await house[Symbol.asyncDispose]();
});

const by = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const transports: Readonly<Record<string, () => Transport>> = {
  grpc: () => createGrpcTransport({ baseUrl: `http://${doors.grpcAddress}` }),
  connect: () => createConnectTransport({ baseUrl: doors.httpAddress, httpVersion: '1.1' }),
  'grpc-web': () => createGrpcWebTransport({ baseUrl: doors.httpAddress, httpVersion: '1.1' }),
};
const client = (door = 'connect') => createClient(AuditService, transports[door]?.() ?? expect.fail(door));

const types = [
  ...Array<AdminEventType>(3).fill(AdminEventType.CREDENTIAL_CREATED),
  AdminEventType.CREDENTIAL_CREATED,
  AdminEventType.CREDENTIAL_ROTATED,
  AdminEventType.CREDENTIAL_REVOKED,
  AdminEventType.STOPPED,
  AdminEventType.RESUMED,
];

test.each(Object.keys(transports))('an operator reads who did what, oldest first, by %s', async (door) => {
  const { events, hasMore } = await client(door).listAdminEvents({}, by(operator));
  expect(hasMore).toBe(false);
  expect(events.map(({ type }) => type)).toEqual(types);
  expect(events.slice(0, 3).map(({ actor }) => actor)).toEqual([undefined, undefined, undefined]);
  const told = events.slice(3);
  for (const { actor } of told) expect(actor).toMatchObject({ credentialId: 'cred-ann', userId: 'ann' });
  expect(told.map((event) => event.subject)).toEqual([subject, subject, subject, 'void_ticket', 'void_ticket']);
  expect(JSON.parse(told[0]?.detailJson ?? '')).toMatchObject({ role: 'agent', user_id: 'bot', name: 'till' });
  expect(JSON.parse(told[3]?.detailJson ?? '')).toMatchObject({ kind: 'TOOL', reason: 'It voids twice.' });
  expect(told[0]?.occurredAt?.seconds).toBeGreaterThan(1_700_000_000n);
});

test('the JSON door tells the same, with the details as JSON', async () => {
  const { status, body } = await askJson(doors, 'GET', '/v1/admin-events?types=STOPPED&pageSize=5', by(operator));
  expect(status).toBe(200);
  expect(body.events).toEqual([
    {
      type: 'STOPPED',
      subject: 'void_ticket',
      actor: { credentialId: 'cred-ann', userId: 'ann' },
      detail: expect.objectContaining({ reason: 'It voids twice.' }),
      occurredAt: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  expect(body.hasMore).toBe(false);
});

describe('pages', () => {
  test('tell every event once, and a cursor goes on with what is still to come', async () => {
    const seen: AdminEventType[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const page = await client().listAdminEvents({ pageSize: 3, cursor }, by(operator));
      expect(page.events.length).toBeGreaterThan(0);
      seen.push(...page.events.map(({ type }) => type));
      ({ nextCursor: cursor, hasMore: more } = page);
    }
    expect(seen).toEqual(types);
    expect(await client().listAdminEvents({ cursor }, by(operator))).toMatchObject({ events: [], nextCursor: cursor });
    const { credential } = await createCredentialVerbs(house.store.credentials).create(
      house.principal('operator'),
      bot,
    );
    const { events } = await client().listAdminEvents({ cursor }, by(operator));
    expect(events.map((event) => event.subject)).toEqual([credential.id]);
    types.push(AdminEventType.CREDENTIAL_CREATED);
  });

  test('leave nothing out that was written earlier and committed later', async () => {
    const { nextCursor } = await client().listAdminEvents({ pageSize: 1000 }, by(operator));
    const slow = new pg.Client({ connectionString: house.db.url });
    await slow.connect();
    const insert = (name: string) =>
      `insert into admin_event (tenant_id, type, subject, detail) values ('acme', 'STOPPED', '${name}', '{}')`;
    try {
      await slow.query(`begin; ${insert('slow')}`);
      await house.db.query(insert('fast'));
      const before = await client().listAdminEvents({ cursor: nextCursor }, by(operator));
      expect(before.events).toEqual([]);
      await slow.query('commit');
      // What runs elsewhere in the cluster may hold the end of the trail back for a moment.
      await expect
        .poll(
          async () => {
            const after = await client().listAdminEvents({ cursor: before.nextCursor }, by(operator));
            return after.events.map((event) => event.subject);
          },
          { timeout: 20_000 },
        )
        .toEqual(['slow', 'fast']);
      types.push(AdminEventType.STOPPED, AdminEventType.STOPPED);
    } finally {
      await slow.end();
    }
  });

  test('can be of some kinds, and of one subject', async () => {
    const ask = async (request: { types?: AdminEventType[]; subject?: string }) =>
      (await client().listAdminEvents(request, by(operator))).events.map(({ type }) => type);
    const { CREDENTIAL_CREATED, CREDENTIAL_ROTATED, CREDENTIAL_REVOKED, RESUMED } = AdminEventType;
    expect(await ask({ subject })).toEqual([CREDENTIAL_CREATED, CREDENTIAL_ROTATED, CREDENTIAL_REVOKED]);
    expect(await ask({ types: [RESUMED, CREDENTIAL_ROTATED] })).toEqual([CREDENTIAL_ROTATED, RESUMED]);
    expect(await ask({ types: [RESUMED], subject })).toEqual([]);
    expect(await ask({ subject: `' or true --` })).toEqual([]);
  });

  test('tell also what a later version recorded, as a kind that is not known', async () => {
    await house.db.query(
      `insert into admin_event (tenant_id, type, subject, detail) values ('acme', 'EXPORTED', 'all of it', '{"rows":3}')`,
    );
    const { events } = await client().listAdminEvents({ subject: 'all of it' }, by(operator));
    expect(events).toMatchObject([{ type: AdminEventType.UNSPECIFIED, detailJson: '{"rows":3}' }]);
  });
});

test('nobody reads another tenant’s, and a made-up cursor or a kind that is none is refused', async () => {
  const { events } = await client().listAdminEvents({}, by(stranger));
  expect(events).toHaveLength(3);
  expect(JSON.stringify(events.map((event) => event.detailJson))).not.toContain('acme');
  for (const [path, code] of [
    ['?cursor=e1', 'INVALID_CURSOR'],
    ['?types=DELETED', 'INVALID_REQUEST'],
    ['?pageSize=1001', 'INVALID_REQUEST'],
  ] as const) {
    const { status, body } = await askJson(doors, 'GET', `/v1/admin-events${path}`, by(operator));
    expect({ status, code: body.error?.code ?? body.errorCode ?? body.code }, path).toEqual({ status: 400, code });
  }
  const far = await client().listAdminEvents({ cursor: 'e99999999999999999999.9999999999999999999' }, by(operator));
  expect(far.events).toEqual([]);
});
