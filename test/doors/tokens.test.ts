/** Tokens of an issuer at the doors: what their callers are told, what the log is, and what the record says of who it was. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { byForm } from '../../server/tokens/by-form.ts';
import { createTokenAuthenticator, type TokenAuthenticator } from '../../server/tokens/create-token-authenticator.ts';
import { type House, openHouse } from '../support/house.ts';
import { configurationPath, type Issuer, json, startIssuer } from '../support/issuer.ts';
import { entryOf, identityOf } from '../tokens/taking.ts';
import { type Call, clientOf, protocols } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';

let house: House;
let issuer: Issuer;
/** Its keys were never fetched. */
let silent: Issuer;
let tokens: TokenAuthenticator;
let doors: OpenDoors;
/** What the clock of the tokens is ahead of the real one, milliseconds. */
let ahead = 0;

const more =
  'tenant: { value: acme }, role: { claim: role, values: { agent: agent, approver: approver } }, scopes: { claim: stores, all: "*" }';
const declared = () => identityOf(entryOf(issuer.url, more), entryOf(silent.url));
let identity: ReturnType<typeof declared>;

beforeAll(async () => {
  [house, issuer, silent] = await Promise.all([openHouse(), startIssuer(), startIssuer()]);
  await house.store.credentials.createTenant('acme');
  silent.answer(configurationPath, json({}, 503));
  const quiet = () => undefined;
  tokens = createTokenAuthenticator({
    identity: () => identity,
    tenants: house.store.credentials,
    log: { info: quiet, warn: quiet, error: quiet },
    wall: () => Date.now() + ahead,
  });
  doors = await openDoors({
    lifecycle: house.lifecycle,
    authenticator: byForm({ keys: house.store.credentials, tokens }),
  });
});
afterAll(async () => {
  await doors.close(1000);
  await Promise.all([tokens.close(), issuer.close(), silent.close()]);
  await house[Symbol.asyncDispose]();
});
beforeEach(() => {
  ahead = 0;
  identity = declared();
  doors.log.length = 0;
});

const claims = { sub: 'bot', aud: 'tether', role: 'agent', stores: ['*'] };
const by = (credential: string, requestId?: string) => ({
  headers: {
    authorization: `Bearer ${credential}`,
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  },
});
const proposal = () => ({ tool: 'void_ticket', argumentsJson: JSON.stringify({ ticket_id: randomUUID() }) });

async function withClient<T>(protocol: (typeof protocols)[number], use: (call: Call) => Promise<T>): Promise<T> {
  const client = clientOf(protocol, doors);
  try {
    return await use(client.call);
  } finally {
    client.close();
  }
}

describe.each(protocols)('by %s', (protocol) => {
  test('a token that does not count is answered like a key that nobody knows; the log has the reason, and no token', async () => {
    const unknown = `tth_acme_${'0'.repeat(48)}`;
    const bad = [
      await issuer.token({ ...claims, aud: 'other' }),
      await issuer.token({ ...claims, role: 'boss' }),
      await issuer.token({ ...claims, iss: 'https://evil.example/' }),
      await issuer.token(claims, { header: { kid: 'gone' } }),
    ];
    await withClient(protocol, async (call) => {
      const { code, message, details } = await call('list', {}, by(unknown));
      expect(code).toBe(Code.Unauthenticated);
      for (const [index, token] of bad.entries())
        expect(await call('list', {}, by(token, `bad-${index}`))).toMatchObject({ code, message, details });
    });
    const log = doors.log.join('');
    for (const [index, reason] of [
      'audience is not declared',
      'stands for no role',
      'issuer is not',
      'not among',
    ].entries())
      expect(doors.log.find((line) => line.includes(`"bad-${index}"`) && line.includes(reason))).toContain(
        '"level":"info"',
      );
    for (const token of bad) for (const part of token.split('.')) expect(log).not.toContain(part);
  });

  test('an expired one is told so, with what to do', async () => {
    const now = Math.floor(Date.now() / 1000);
    const token = await issuer.token({ ...claims, exp: now - 60 });
    const seen = await withClient(protocol, (call) => call('stage', proposal(), by(token)));
    expect(seen).toMatchObject({
      code: Code.Unauthenticated,
      message: expect.stringMatching(/^This token has expired\. Send the header/),
      details: [{ code: 'UNAUTHENTICATED', effect: 1, retryable: false }],
    });
  });

  test('while its issuer’s keys cannot be fetched it is UNAVAILABLE: nothing happened, and a repeat may succeed', async () => {
    const token = await silent.token(claims);
    const seen = await withClient(protocol, (call) => call('stage', proposal(), by(token)));
    expect(seen).toMatchObject({
      code: Code.Unavailable,
      details: [{ code: 'UNAVAILABLE', effect: 1, retryable: true, retryAfter: { seconds: expect.anything() } }],
    });
    expect(seen.message).toContain('the keys of its issuer cannot be fetched');
  });

  test('a watch ends with the token that it was opened with', async () => {
    const token = await issuer.token(claims);
    const seen = await withClient(protocol, (call) => {
      const onMessage = async (message: unknown) => {
        if (!JSON.stringify(message).includes('heartbeat')) return;
        ahead = 600_000;
        await house.stage({ ticket_id: randomUUID() }, {}, asBot());
      };
      return call('watch', {}, { ...by(token), onMessage });
    });
    expect(seen).toMatchObject({ code: Code.Unauthenticated, message: expect.stringContaining('has expired') });
    expect(JSON.stringify(seen.messages)).not.toContain('change');
  });

  test('a watch ends when the catalog says that its token stands for something else', async () => {
    const token = await issuer.token(claims);
    const seen = await withClient(protocol, (call) => {
      const onMessage = async (message: unknown) => {
        if (!JSON.stringify(message).includes('heartbeat')) return;
        identity = identityOf(entryOf(issuer.url, more.replace(', all: "*"', '')));
        await house.stage({ ticket_id: randomUUID() }, {}, asBot());
      };
      return call('watch', {}, { ...by(token), onMessage });
    });
    expect(seen).toMatchObject({ code: Code.Unauthenticated, message: expect.stringContaining('no longer good') });
  });
});

/** The principal that the claims above stand for. */
function asBot() {
  return house.principal('agent', { credentialId: `${issuer.url}#sub=bot`, userId: 'bot' });
}

const action = (response: unknown) => (response as { action: { id: string } }).action;

test('an agent sees what it proposed with its next token too, and what another program proposed for the same user not', async () => {
  await withClient('grpc', async (call) => {
    const first = await issuer.token({ ...claims, client_id: 'chat', jti: '1' });
    const staged = await call('stage', { ...proposal(), requestId: 'mine' }, by(first));
    const { id } = action(staged.response);
    const next = by(await issuer.token({ ...claims, client_id: 'chat', jti: '2' }));
    expect(action((await call('get', { key: { case: 'requestId', value: 'mine' } }, next)).response).id).toBe(id);
    expect((await call('list', {}, next)).response).toMatchObject({ actions: [{ id }] });
    const other = by(await issuer.token({ ...claims, client_id: 'mail', jti: '3' }));
    expect(await call('get', { key: { case: 'actionId', value: id } }, other)).toMatchObject({ code: Code.NotFound });
    expect((await call('list', {}, other)).response).toEqual({});
  });
});

test('the record says who proposed and who confirmed by their tokens, issuer included; whom an agent names is no authority', async () => {
  await withClient('connect+json', async (call) => {
    const agent = by(await issuer.token({ ...claims, client_id: 'chat' }));
    const approver = by(await issuer.token({ ...claims, sub: 'ann', role: 'approver' }));
    const staged = await call('stage', { ...proposal(), userId: 'ann' }, agent);
    const { id } = action(staged.response);
    expect(await call('confirm', { actionId: id }, agent)).toMatchObject({ code: Code.PermissionDenied });
    await call('confirm', { actionId: id }, approver);
    const { response } = await call('get', { key: { case: 'actionId', value: id } }, approver);
    expect(response).toMatchObject({
      action: {
        userId: 'ann',
        proposedBy: { credentialId: `${issuer.url}#sub=bot&client=chat`, userId: 'bot' },
        confirmedBy: { credentialId: `${issuer.url}#sub=ann`, userId: 'ann' },
      },
    });
    const trail = await house.db.query(
      'select actor_credential, actor_user from event where action_id = $1 order by version',
      [id],
    );
    expect(trail.slice(0, 2)).toEqual([
      { actor_credential: `${issuer.url}#sub=bot&client=chat`, actor_user: 'bot' },
      { actor_credential: `${issuer.url}#sub=ann`, actor_user: 'ann' },
    ]);
  });
});

test('a token is good for the scopes that it names, and for no other', async () => {
  await withClient('grpc', async (call) => {
    const some = by(await issuer.token({ ...claims, stores: ['12'] }));
    expect(await call('stage', { ...proposal(), scope: '12' }, some)).toMatchObject({ code: 0 });
    expect(await call('stage', { ...proposal(), scope: '13' }, some)).toMatchObject({ code: Code.PermissionDenied });
    expect(await call('stage', proposal(), some)).toMatchObject({ code: Code.PermissionDenied });
  });
});

test('the longest credential that is taken fits into every index', async () => {
  // Random, since PostgreSQL compresses what is not.
  const random = (length: number) => randomBytes(length).toString('hex').slice(0, length);
  const client_id = random(256);
  const rest = 1_024 - `${issuer.url}#sub=&client=${client_id}`.length;
  const sub = `${'|'.repeat(128)}${random(128)}`;
  expect(encodeURIComponent(sub).length).toBeLessThan(rest);
  const requestId = String.fromCodePoint(...Array.from(randomBytes(256), (byte) => 0x1_f300 + byte));
  const token = await issuer.token({ ...claims, sub, client_id });
  const seen = await withClient('grpc', (call) => call('stage', { ...proposal(), requestId }, by(token)));
  expect(seen).toMatchObject({ code: 0 });
});
