import { describe, expect, test } from 'vitest';
import type { Change } from '../../server/lifecycle/ports/action-store.ts';
import { openStores } from './open-stores.ts';
import { applied, approver, claimed, expired, released, silent, staged, succeeded } from './proposal.ts';

const { database, store } = await openStores(1, 20);

/** What apply says it left behind is what is found. */
async function expectAsFound(change: Change): Promise<Change['action']> {
  const action = await applied(store, change);
  expect((await store.find(action.tenantId, action.id))?.action).toEqual(action);
  return action;
}

test('a settlement writes state, result and event together', async () => {
  const result = '{"big":9007199254740993,"nul":"\\u0000","text":"é 💥","n":1.0e+2}';
  const action = await expectAsFound(succeeded(await claimed(store, await staged(store)), result));
  expect(action).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED', version: 3, resultAttempt: 1 });
  expect(action.attempts[0]).toMatchObject({ outcome: 'SUCCEEDED', effect: 'APPLIED', result, error: null });
  expect(action.settledAt).toEqual(action.attempts[0]?.finishedAt);
  const events = await database.query(
    `select version, type, from_state, to_state, effect, actor_credential, actor_user, attempt, preview_digest
      from event where action_id = $1 order by version`,
    [action.id],
  );
  const { previewDigest: preview_digest } = action;
  const agent = { actor_credential: 'agent-credential', actor_user: 'agent-user', preview_digest };
  const person = { actor_credential: 'approver-credential', actor_user: 'approver-user', preview_digest };
  expect(events).toEqual([
    { version: 1, type: 'STAGED', from_state: null, to_state: 'PENDING', effect: 'NONE', attempt: null, ...agent },
    {
      version: 2,
      type: 'CLAIMED',
      from_state: 'PENDING',
      to_state: 'EXECUTING',
      effect: 'UNKNOWN',
      attempt: 1,
      ...person,
    },
    {
      version: 3,
      type: 'SETTLED',
      from_state: 'EXECUTING',
      to_state: 'SUCCEEDED',
      effect: 'APPLIED',
      attempt: 1,
      ...person,
    },
  ]);
});

test('an error keeps every field, also one with a NUL', async () => {
  const change = released(await claimed(store, await staged(store)), 'UNKNOWN');
  const error = {
    code: 'TICKET_LOCKED',
    message: 'locked by \u0000 "x"',
    field: '/ticket_id',
    receivedJson: '9007199254740993',
    limitJson: '"\\u0000"',
    acceptedJson: ['1', '2'],
    effect: 'UNKNOWN',
    retryable: true,
    retryAfterSeconds: 0.5,
    alternatives: [{ action: 'stage', tool: 'refund', argumentsJson: '{}', extraJson: '{"a":1}' }],
  } as const;
  const action = await expectAsFound({ ...change, attempts: change.attempts.map((each) => ({ ...each, error })) });
  expect(action.attempts[0]?.error).toEqual(error);
  expect(action).toMatchObject({ state: 'PENDING', settledAt: null, resultAttempt: null });
});

test('a settlement is lost when the lease sweeper was first, and the other way round', async () => {
  const executing = await claimed(store, await staged(store), { timeoutMs: -60_000 });
  const [settled, swept] = await Promise.all([store.apply(succeeded(executing)), store.apply(silent(executing))]);
  expect([settled, swept].filter((each) => each !== undefined)).toHaveLength(1);
  const first = await claimed(store, await staged(store), { timeoutMs: -60_000 });
  const indeterminate = await expectAsFound(silent(first));
  expect(await store.apply(succeeded(first))).toBeUndefined();
  const found = await store.find('acme', first.id);
  expect(found?.action).toEqual(indeterminate);
});

test('a late success is recorded on its own attempt, beside the one that is open', async () => {
  const first = await claimed(store, await staged(store), { timeoutMs: -60_000 });
  const second = await claimed(store, await applied(store, silent(first)));
  const late: Change = {
    action: second,
    state: 'EXECUTING',
    effect: 'UNKNOWN',
    event: 'LATE_ANSWER',
    actor: approver,
    attempts: [{ number: 1, outcome: 'SUCCEEDED', effect: 'APPLIED', error: null, result: '{"first":true}' }],
  };
  const waiting = await expectAsFound(late);
  const silence = waiting.attempts[0]?.finishedAt;
  expect(silence).toBeInstanceOf(Date);
  expect(waiting).toMatchObject({ resultAttempt: 1, settledAt: null });
  expect(waiting.attempts[1]).toMatchObject({ outcome: 'OPEN', finishedAt: null });
  const done = await expectAsFound(succeeded(waiting, '{"second":true}'));
  expect(done).toMatchObject({ state: 'SUCCEEDED', resultAttempt: 1 });
  expect(done.attempts.map(({ result }) => result)).toEqual(['{"first":true}', '{"second":true}']);
});

test('a result is never written over', async () => {
  const done = await applied(store, succeeded(await claimed(store, await staged(store)), '{"kept":1}'));
  const again = await expectAsFound({ ...succeeded(done, '{"kept":2}'), event: 'LATE_ANSWER' });
  expect(again.attempts[0]?.result).toBe('{"kept":1}');
  expect(again.settledAt).toEqual(done.settledAt);
});

test('FAILED in doubt that turns out to have succeeded is settled anew', async () => {
  const change = released(await claimed(store, await staged(store)), 'UNKNOWN');
  const failed = await expectAsFound({ ...change, state: 'FAILED' });
  const longAgo = new Date('2020-01-01');
  await database.query('update action set settled_at = $2 where id = $1', [failed.id, longAgo]);
  const done = await expectAsFound({ ...succeeded({ ...failed, settledAt: longAgo }), event: 'LATE_ANSWER' });
  expect(done.settledAt).not.toEqual(longAgo);
});

test('nothing is expired before its time, nor a lease ended', async () => {
  const action = await staged(store);
  expect(await store.apply(expired(action))).toBeUndefined();
  const executing = await claimed(store, action);
  expect(await store.apply(silent(executing))).toBeUndefined();
  expect((await store.find('acme', action.id))?.action).toEqual(executing);
});

describe('of twenty changes of one version, one is written', () => {
  async function expectOneOfTwenty(change: Change): Promise<void> {
    const all = await Promise.all(Array.from({ length: 20 }, () => store.apply(change)));
    expect(all.filter((each) => each !== undefined)).toHaveLength(1);
    const [after] = all.filter((each) => each !== undefined);
    expect((await store.find('acme', change.action.id))?.action).toEqual(after?.action);
  }

  test('when they settle an attempt', async () => {
    await expectOneOfTwenty(released(await claimed(store, await staged(store)), 'NONE'));
  });

  test('when they bring a late answer', async () => {
    const executing = await claimed(store, await staged(store), { timeoutMs: -60_000 });
    const indeterminate = await applied(store, silent(executing));
    await expectOneOfTwenty({ ...succeeded(indeterminate), event: 'LATE_ANSWER' });
  });

  test('when they expire it', async () => {
    const action = await staged(store);
    const [row] = await database.query<{ expires_at: Date }>(
      'update action set expires_at = now() where id = $1 returning expires_at',
      [action.id],
    );
    if (row === undefined) throw new Error('not found');
    await expectOneOfTwenty(expired({ ...action, expiresAt: row.expires_at }));
  });
});

test('a change of another tenant finds nothing', async () => {
  const executing = await claimed(store, await staged(store));
  expect(await store.apply(succeeded({ ...executing, tenantId: 'globex' }))).toBeUndefined();
});
