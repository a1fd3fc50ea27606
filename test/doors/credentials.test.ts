import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { roles } from '../../server/domain/principal.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { clientOf, keyOf, protocols, type Verb } from './clients.ts';
import { doorsOfThisFile, openDoors } from './open-doors.ts';
import { requests } from './sample-requests.ts';
import { principalOf } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

const everyone = ['agent', 'approver', 'operator'];
/** The table of the contract, written out once more. */
const may: Readonly<Record<Verb, readonly string[]>> = {
  stage: ['agent'],
  confirm: ['approver'],
  get: everyone,
  replay: everyone,
  list: everyone,
  watch: everyone,
  confirmPlan: ['approver'],
  reject: ['approver'],
  amend: ['approver'],
  resolve: ['approver'],
  probeNow: ['approver'],
  recheck: ['approver'],
  listEvents: ['approver', 'operator'],
  listTools: ['agent', 'approver'],
  call: ['agent'],
};
const verbs = Object.keys(requests) as Verb[];

const cases = protocols.flatMap((protocol) =>
  verbs.flatMap((verb) => roles.map((role) => [protocol, verb, role] as const)),
);

test.each(cases)('by %s, %s obeys the role table for the role %s', async (protocol, verb, role) => {
  const client = clientOf(protocol, doors);
  const seen = await client.call(verb, requests[verb], { headers: keyOf(role) });
  client.close();
  if (may[verb].includes(role)) {
    expect(seen).toMatchObject({ code: 0 });
    expect(doors.script.calls).toMatchObject([
      verb === 'listTools' ? { verb } : { verb, principal: principalOf(role) },
    ]);
    return;
  }
  expect(seen.code).toBe(Code.PermissionDenied);
  expect(seen.details).toMatchObject([
    {
      code: 'PERMISSION_DENIED',
      effect: 1,
      retryable: false,
      receivedJson: JSON.stringify(role),
      acceptedJson: may[verb].map((each) => JSON.stringify(each)),
    },
  ]);
  expect(doors.script.calls).toEqual([]);
});

const bad: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no credential': {},
  'an unknown key': { authorization: 'Bearer nobody-has-this-key' },
  'another scheme': { authorization: 'Basic a2V5LWFnZW50' },
  'a key without a scheme': { authorization: 'key-agent' },
  'a scheme without a key': { authorization: 'Bearer' },
  'two keys': { authorization: 'Bearer key-agent key-approver' },
  'the right key in another spelling': { authorization: 'Bearer KEY-AGENT' },
};

const badCases = protocols.flatMap((protocol) => Object.keys(bad).map((what) => [protocol, what] as const));

test.each(badCases)(
  'by %s, %s is refused without a word about why, and without being repeated',
  async (protocol, what) => {
    const client = clientOf(protocol, doors);
    const seen = await client.call('stage', requests.stage, { headers: bad[what] ?? {} });
    client.close();
    expect(seen.code).toBe(Code.Unauthenticated);
    expect(seen.details).toMatchObject([
      { code: 'UNAUTHENTICATED', effect: 1, retryable: false, field: 'authorization' },
    ]);
    expect(seen.message).toContain('authorization: Bearer <key>');
    expect(JSON.stringify(seen.details, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
      /key-agent|nobody-has|a2V5/i,
    );
    expect(doors.script.calls).toEqual([]);
  },
);

test.each(protocols)('the scheme may be written in any case, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const seen = await client.call('stage', requests.stage, { headers: { authorization: 'bearer key-agent' } });
  client.close();
  expect(seen.code).toBe(0);
});

test('a stranger is turned away before the body is read: what he sends does not matter', async () => {
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Stage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'not JSON',
  });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
});

test.each(protocols)('an authenticator whose database is away means that nothing happened, by %s', async (protocol) => {
  const cut = await openDoors({
    authenticator: {
      recognises: () => false,
      authenticate: () => Promise.reject(new StoreUnavailable(false, { cause: new Error('ECONNREFUSED 5432') })),
    },
  });
  const client = clientOf(protocol, cut);
  const seen = await client.call('confirm', requests.confirm, { headers: keyOf('approver') });
  client.close();
  await cut.close(1000);
  expect(seen.code).toBe(Code.Unavailable);
  expect(seen.details).toMatchObject([{ code: 'UNAVAILABLE', effect: 1, retryable: true }]);
  expect(cut.script.calls).toEqual([]);
});
