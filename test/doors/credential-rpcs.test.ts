import { randomUUID } from 'node:crypto';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Role } from '@tether/proto/tether/v1/credential_pb.ts';
import { CredentialService } from '@tether/proto/tether/v1/credential_service_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role as RoleName } from '../../server/domain/principal.ts';
import { createCredentialVerbs } from '../../server/lifecycle/credentials/credential-verbs.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';

const protocols = ['grpc', 'connect+json', 'connect+proto', 'grpc-web'] as const;
type Protocol = (typeof protocols)[number];

let house: House;
/** Another replica. */
let elsewhere: Store;
let here: OpenDoors;
let there: OpenDoors;
let keys: Readonly<Record<RoleName, string>>;
let strangers: Readonly<Record<RoleName, string>>;

beforeAll(async () => {
  house = await openHouse();
  elsewhere = await openStore({ url: house.db.appUrl, poolSize: 4 });
  const doorsOf = (store: Store) =>
    openDoors({
      lifecycle: house.lifecycle,
      credentials: createCredentialVerbs(store.credentials),
      authenticator: store.credentials,
    });
  [here, there] = await Promise.all([doorsOf(house.store), doorsOf(elsewhere)]);
  keys = await house.store.credentials.createTenant('acme');
  strangers = await house.store.credentials.createTenant('globex');
});
afterAll(async () => {
  await Promise.all([here.close(1000), there.close(1000)]);
  await elsewhere.close();
  await house[Symbol.asyncDispose]();
});

function transportOf(protocol: Protocol, doors: OpenDoors) {
  if (protocol === 'grpc') return createGrpcTransport({ baseUrl: `http://${doors.grpcAddress}` });
  const options = { baseUrl: doors.httpAddress, httpVersion: '1.1' } as const;
  if (protocol === 'grpc-web') return createGrpcWebTransport(options);
  return createConnectTransport({ ...options, useBinaryFormat: protocol === 'connect+proto' });
}

const credentialsAt = (doors: OpenDoors, protocol: Protocol = 'connect+json') =>
  createClient(CredentialService, transportOf(protocol, doors));
const actionsAt = (doors: OpenDoors) => createClient(ActionService, transportOf('connect+json', doors));
const by = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** What a call fails with: its status, and our detail. */
async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectError)) throw new Error(`it did not fail: ${String(error)}`);
  const [detail] = error.findDetails(ActionableErrorSchema);
  return { status: error.code, code: detail?.code, message: error.rawMessage, detail };
}

/** Whether a key is taken at a door. */
async function isTaken(doors: OpenDoors, key: string): Promise<boolean> {
  try {
    await actionsAt(doors).list({}, by(key));
    return true;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.Unauthenticated) return false;
    throw error;
  }
}

const bot = { role: Role.AGENT, userId: 'bot', allScopes: true };

test.each(protocols)(
  'a key is made, listed, replaced and revoked, at once on every replica, by %s',
  async (protocol) => {
    const credentials = credentialsAt(here, protocol);
    const made = await credentials.create({ ...bot, name: 'nightly', scopes: [] }, by(keys.operator));
    const id = made.credential?.id ?? '';
    expect(made.key.startsWith(made.credential?.prefix ?? 'none')).toBe(true);
    expect(await isTaken(there, made.key)).toBe(true);
    const { credentials: listed } = await credentials.list({}, by(keys.operator));
    expect(listed[0]).toEqual(made.credential);
    expect(listed[0]).toMatchObject({
      tenantId: 'acme',
      userId: 'bot',
      role: Role.AGENT,
      allScopes: true,
      name: 'nightly',
    });

    const rotated = await credentials.rotate({ credentialId: id.toUpperCase() }, by(keys.operator));
    expect(rotated.credential).toMatchObject({ id, rotatedAt: expect.anything() });
    expect(await isTaken(there, made.key)).toBe(false);
    expect(await isTaken(there, rotated.key)).toBe(true);

    const revoked = await credentials.revoke({ credentialId: id }, by(keys.operator));
    expect(revoked.credential?.revokedAt).toBeDefined();
    expect(await isTaken(there, rotated.key)).toBe(false);
    expect((await credentials.revoke({ credentialId: id }, by(keys.operator))).credential).toEqual(revoked.credential);
  },
);

test('while the keys of a rotation overlap both are the same credential, with the same actions', async () => {
  const credentials = credentialsAt(here);
  const made = await credentials.create(bot, by(keys.operator));
  const staged = await actionsAt(there).stage(
    { tool: 'void_ticket', argumentsJson: '{"ticket_id":"T-overlap"}', requestId: 'mine' },
    by(made.key),
  );
  const rotated = await credentials.rotate(
    { credentialId: made.credential?.id ?? '', overlap: { seconds: 3600n } },
    by(keys.operator),
  );
  expect(rotated.credential?.previousKeyUntil).toBeDefined();
  for (const key of [made.key, rotated.key]) {
    const found = await actionsAt(there).get({ key: { case: 'requestId', value: 'mine' } }, by(key));
    expect(found.action?.id).toBe(staged.action?.id);
  }
});

/** Each call of the service, good in itself. */
const calls: Readonly<Record<string, (client: Client<typeof CredentialService>, key: string) => Promise<unknown>>> = {
  Create: (client, key) => client.create(bot, by(key)),
  List: (client, key) => client.list({}, by(key)),
  Rotate: (client, key) => client.rotate({ credentialId: randomUUID() }, by(key)),
  Revoke: (client, key) => client.revoke({ credentialId: randomUUID() }, by(key)),
};

describe.each(Object.entries(calls))('%s', (_, call) => {
  test.each(protocols)('is refused to agents and approvers, by %s', async (protocol) => {
    const before = await house.db.query('select from credential');
    for (const role of ['agent', 'approver'] as const) {
      const failure = await failureOf(call(credentialsAt(here, protocol), keys[role]));
      expect(failure).toMatchObject({ status: Code.PermissionDenied, code: 'PERMISSION_DENIED' });
    }
    expect(await house.db.query('select from credential')).toHaveLength(before.length);
  });

  test('is refused to an operator of some scopes, who could make a key for all', async () => {
    const { key } = await credentialsAt(here).create(
      { role: Role.OPERATOR, userId: 'eve', scopes: ['store-12'] },
      by(keys.operator),
    );
    const failure = await failureOf(call(credentialsAt(here), key));
    expect(failure).toMatchObject({ status: Code.PermissionDenied, code: 'PERMISSION_DENIED' });
    expect(failure.message).toContain('all scopes');
  });
});

test("another tenant's operator sees none of it: the same as of an id that never was", async () => {
  const { credential } = await credentialsAt(here).create(bot, by(keys.operator));
  const id = credential?.id ?? '';
  const never = randomUUID();
  const client = credentialsAt(here);
  for (const verb of ['rotate', 'revoke'] as const) {
    const [theirs, none] = [
      await failureOf(client[verb]({ credentialId: id }, by(strangers.operator))),
      await failureOf(client[verb]({ credentialId: never }, by(strangers.operator))),
    ];
    expect(theirs).toMatchObject({ status: Code.NotFound, code: 'CREDENTIAL_NOT_FOUND' });
    expect(theirs.message).toBe(none.message);
    expect(theirs.status).toBe(none.status);
  }
  const { credentials: listed } = await client.list({}, by(strangers.operator));
  expect(new Set(listed.map(({ tenantId }) => tenantId))).toEqual(new Set(['globex']));
  expect(await failureOf(client.list({ cursor: id }, by(strangers.operator)))).toMatchObject({
    code: 'INVALID_CURSOR',
  });
});

test('the last operator is not revoked, and is told the ways out', async () => {
  const client = credentialsAt(here);
  const { credentials: listed } = await client.list({}, by(strangers.operator));
  const operator = listed.find(({ role }) => role === Role.OPERATOR)?.id ?? '';
  const failure = await failureOf(client.revoke({ credentialId: operator }, by(strangers.operator)));
  expect(failure).toMatchObject({ status: Code.FailedPrecondition, code: 'LAST_OPERATOR' });
  expect(failure.detail?.alternatives.map(({ action }) => action)).toEqual(['rotate', 'create']);
  expect(await isTaken(there, strangers.operator)).toBe(true);
});

test('pages follow each other without a gap', async () => {
  const client = credentialsAt(here);
  const all = (await client.list({ pageSize: 200 }, by(keys.operator))).credentials.map(({ id }) => id);
  const told: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await client.list({ pageSize: 2, cursor }, by(keys.operator));
    told.push(...page.credentials.map(({ id }) => id));
    cursor = page.nextCursor === '' ? undefined : page.nextCursor;
  }
  expect(told).toEqual(all);
});

test.each([
  ['neither scopes nor all of them', { ...bot, allScopes: false }, 'all_scopes'],
  ['both', { ...bot, scopes: ['store-12'] }, 'scopes'],
  ['an end in the past', { ...bot, expiresAt: { seconds: 1n } }, 'expires_at'],
  ['no role', { ...bot, role: Role.UNSPECIFIED }, 'role'],
  ['no user', { ...bot, userId: '' }, 'user_id'],
] as const)('a credential with %s is not made', async (_, request, field) => {
  const failure = await failureOf(
    credentialsAt(here).create(
      { ...request, scopes: [...('scopes' in request ? request.scopes : [])] },
      by(keys.operator),
    ),
  );
  expect(failure).toMatchObject({ status: Code.InvalidArgument, code: 'INVALID_REQUEST', detail: { field } });
});

test('an overlap is at most 30 days, and a revoked credential gets no new key', async () => {
  const client = credentialsAt(here);
  const { credential } = await client.create(bot, by(keys.operator));
  const credentialId = credential?.id ?? '';
  const long = await failureOf(client.rotate({ credentialId, overlap: { seconds: 2_592_001n } }, by(keys.operator)));
  expect(long).toMatchObject({ code: 'INVALID_REQUEST', detail: { field: 'overlap' } });
  await client.revoke({ credentialId }, by(keys.operator));
  const over = await failureOf(client.rotate({ credentialId }, by(keys.operator)));
  expect(over).toMatchObject({ code: 'INVALID_REQUEST', detail: { field: 'credential_id' } });
  expect(over.message).toContain('was revoked');
});

describe('a stream whose key is revoked', () => {
  test('tells nothing more of what it watches', async () => {
    const { key, credential } = await credentialsAt(here).create(
      { role: Role.APPROVER, userId: 'ann', allScopes: true },
      by(keys.operator),
    );
    const staged = await actionsAt(there).stage(
      { tool: 'void_ticket', argumentsJson: '{"ticket_id":"T-before"}' },
      by(keys.agent),
    );
    const seen: string[] = [];
    const snapshot = Promise.withResolvers<void>();
    const watching = failureOf(
      (async () => {
        for await (const { update } of actionsAt(there).watch({}, by(key))) {
          const action = update.case === 'snapshot' ? update.value : update.case === 'change' && update.value.action;
          if (!action) continue;
          const { id } = action;
          seen.push(id);
          if (id === staged.action?.id) snapshot.resolve();
        }
      })(),
    );
    await snapshot.promise;
    await credentialsAt(here).revoke({ credentialId: credential?.id ?? '' }, by(keys.operator));
    const after = await actionsAt(there).stage(
      { tool: 'void_ticket', argumentsJson: '{"ticket_id":"T-after"}' },
      by(keys.agent),
    );
    expect(await watching).toMatchObject({ status: Code.Unauthenticated, code: 'UNAUTHENTICATED' });
    expect(seen).not.toContain(after.action?.id);
  });

  test('claims no more of its plan, tells what was done, and says what was not run', async () => {
    const { key, credential } = await credentialsAt(here).create(
      { role: Role.APPROVER, userId: 'ann', allScopes: true },
      by(keys.operator),
    );
    const ids: string[] = [];
    for (const ticket of ['T-plan-1', 'T-plan-2']) {
      const argumentsJson = JSON.stringify({ ticket_id: ticket });
      ids.push((await actionsAt(there).stage({ tool: 'void_ticket', argumentsJson }, by(keys.agent))).action?.id ?? '');
    }
    const before = house.endpoint.calls.length;
    const gate = Promise.withResolvers<void>();
    house.endpoint.answerNext(async () => {
      await gate.promise;
      return answers.result('{"ok":true}');
    });
    const verdicts: (string | undefined)[] = [];
    const confirming = (async () => {
      const entries = ids.map((actionId) => ({ actionId }));
      for await (const { verdict } of actionsAt(there).confirmPlan({ entries }, by(key))) verdicts.push(verdict.case);
    })();
    await house.endpoint.arrived(before + 1);
    await credentialsAt(here).revoke({ credentialId: credential?.id ?? '' }, by(keys.operator));
    gate.resolve();
    await confirming;
    expect(verdicts).toEqual(['confirmed', 'notRun']);
    expect(house.endpoint.calls).toHaveLength(before + 1);
    const second = await actionsAt(there).get({ key: { case: 'actionId', value: ids[1] ?? '' } }, by(keys.approver));
    expect(second.action?.attemptsUsed).toBe(0);
  });
});

test('no key stands in a log, in the trail or in an error', async () => {
  const client = credentialsAt(here);
  const { key, credential } = await client.create(bot, by(keys.operator));
  const credentialId = credential?.id ?? '';
  await isTaken(here, key);
  const rotated = await client.rotate({ credentialId }, by(keys.operator));
  await isTaken(here, key);
  await client.revoke({ credentialId }, by(keys.operator));
  const refused = await failureOf(actionsAt(here).list({}, by(rotated.key)));
  const broken = await failureOf(actionsAt(here).list({}, { headers: { authorization: rotated.key } }));
  const told = JSON.stringify([
    here.log,
    there.log,
    refused.message,
    broken.message,
    await house.db.query('select e::text from admin_event e'),
    await house.db.query('select e::text from event e'),
  ]);
  expect(told).toContain('UNAUTHENTICATED');
  for (const secret of [key, rotated.key, keys.operator]) expect(told).not.toContain(secret.slice(17, 30));
});
