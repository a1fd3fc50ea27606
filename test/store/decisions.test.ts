import { expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import type { Change } from '../../server/lifecycle/ports/action-store.ts';
import { openStores } from './open-stores.ts';
import { applied, approver, claimed, learned, rejected, released, silent, staged, succeeded } from './proposal.ts';

const { database, opened, store } = await openStores(1, 20);

/** What apply says it left behind is what is found. */
async function expectAsFound(change: Change): Promise<Change['action']> {
  const action = await applied(store, change);
  expect((await store.find(action.tenantId, action.id))?.action).toEqual(action);
  return action;
}

async function newestEvent(actionId: ActionId) {
  return (await opened.events.read({ tenantId: 'acme', actionId, after: null, limit: 100 })).at(-1);
}

async function indeterminate() {
  return applied(store, silent(await claimed(store, await staged(store), { timeoutMs: -60_000 })));
}

test('a rejection is kept with its reason, whatever characters it holds, and its event says the same', async () => {
  const reason = 'no: "T-4417" \u0000 \ud800 💥';
  const action = await expectAsFound(rejected(await staged(store), reason));
  expect(action).toMatchObject({ state: 'REJECTED', rejection: { reason, by: approver }, note: '' });
  expect(action.settledAt).toBeInstanceOf(Date);
  expect(await newestEvent(action.id)).toMatchObject({
    type: 'REJECTED',
    from: 'PENDING',
    to: 'REJECTED',
    actor: approver,
    note: reason,
    attempt: null,
  });
});

test('what was found to differ is kept on the action only where that ended it', async () => {
  const differs = { event: 'PRECONDITION_CHANGED', actor: approver, attempts: [], note: '/status was "open"' } as const;
  const action = await staged(store);
  const ended = await expectAsFound({ action, state: 'PRECONDITION_FAILED', effect: 'NONE', ...differs });
  expect(ended.note).toBe(differs.note);
  const doubted = await applied(store, released(await claimed(store, await staged(store)), 'UNKNOWN'));
  const waiting = await expectAsFound({ action: doubted, state: 'INDETERMINATE', effect: 'UNKNOWN', ...differs });
  expect(waiting.note).toBe('');
  expect(await newestEvent(waiting.id)).toMatchObject({ note: differs.note, to: 'INDETERMINATE' });
});

test('a person clears several doubts at once, in one event', async () => {
  let action = await staged(store);
  for (const _ of [1, 2]) action = await applied(store, released(await claimed(store, action), 'UNKNOWN'));
  expect((await store.find('acme', action.id))?.action.effect).toBe('UNKNOWN');
  const attempts = action.attempts.map(({ number, outcome }) => {
    return { number, outcome, effect: 'NONE', error: null, result: null } as const;
  });
  const resolution = { landed: false, by: approver };
  const resolved = { event: 'RESOLVED', actor: approver, note: 'not landed: I looked', resolution, attempts } as const;
  const done = await expectAsFound({ action, state: 'PENDING', effect: 'NONE', ...resolved });
  expect(done).toMatchObject({ state: 'PENDING', effect: 'NONE', resolution });
  expect(done.attempts.map(({ effect, outcome }) => [effect, outcome])).toEqual([
    ['NONE', 'FAILED'],
    ['NONE', 'FAILED'],
  ]);
  // Why they failed is still told.
  expect(done.attempts.map(({ error }) => error?.code)).toEqual(action.attempts.map(({ error }) => error?.code));
});

test('an attempt that is known to have landed has the result, and a late answer brings it', async () => {
  const doubted = await indeterminate();
  const landed = await expectAsFound(learned(doubted, 1, 'APPLIED', { state: 'SUCCEEDED' }));
  expect(landed).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED', resultAttempt: 1 });
  expect(landed.attempts[0]).toMatchObject({ outcome: 'NO_ANSWER', result: null });
  expect(landed.attempts[0]?.error).not.toBeNull();
  const late = await expectAsFound({ ...succeeded(landed, '{"late":true}'), event: 'LATE_ANSWER' });
  expect(late).toMatchObject({ state: 'SUCCEEDED', resultAttempt: 1 });
  expect(late.attempts[0]).toMatchObject({ outcome: 'SUCCEEDED', result: '{"late":true}', error: null });
});

test('an action needs attention from the doubt on until it is cleared, and not while it executes', async () => {
  const marked = async (id: string) => {
    const [row] = await database.query<{ marked: boolean }>(
      'select needs_attention as marked from action where id = $1',
      [id],
    );
    return row?.marked;
  };
  const first = await indeterminate();
  expect(await marked(first.id)).toBe(true);
  const again = await claimed(store, first);
  expect(await marked(first.id)).toBe(false);
  // Its second attempt succeeds, and the first is still in doubt.
  const done = await applied(store, succeeded(again));
  expect(await marked(first.id)).toBe(true);
  await applied(store, { ...learned(done, 1, 'NONE', {}), effect: 'APPLIED' });
  expect(await marked(first.id)).toBe(false);
});

test('a verification is due with the settlement, and its verdict changes nothing else', async () => {
  const due = { state: 'DUE', reason: '', at: null } as const;
  const settlement = succeeded(await claimed(store, await staged(store)), '{"kept":1}');
  const done = await expectAsFound({ ...settlement, verification: due, verifyInMs: 60_000 });
  expect(done.verification).toEqual(due);
  expect(await store.takeDueVerifications(10, 1_000)).toEqual([]);
  const verdict = {
    state: 'UNVERIFIED',
    reason: 'still \u0000 open',
    at: new Date('2026-08-20T18:41:07.123Z'),
  } as const;
  const { state, effect } = done;
  const change: Change = {
    action: done,
    state,
    effect,
    event: 'VERIFIED',
    actor: null,
    attempts: [],
    note: verdict.reason,
    verification: verdict,
    verifyInMs: null,
  };
  const verified = await expectAsFound(change);
  expect(verified).toEqual({ ...done, version: done.version + 1, verification: verdict });
  expect(await newestEvent(done.id)).toMatchObject({
    type: 'VERIFIED',
    from: 'SUCCEEDED',
    to: 'SUCCEEDED',
    actor: null,
  });
  const [row] = await database.query('select verify_at, needs_attention from action where id = $1', [done.id]);
  expect(row).toEqual({ verify_at: null, needs_attention: true });
});

test('of two decisions about one version, one is written whole and the other leaves nothing', async () => {
  const action = await indeterminate();
  const landed = { resolution: { landed: true, by: approver }, note: 'landed', event: 'RESOLVED' } as const;
  const not = { resolution: { landed: false, by: approver }, note: 'not landed', event: 'RESOLVED' } as const;
  const written = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      store.apply(
        index % 2 === 0
          ? learned(action, 1, 'APPLIED', { ...landed, state: 'SUCCEEDED' })
          : learned(action, 1, 'NONE', { ...not, state: 'PENDING' }),
      ),
    ),
  );
  const [one, ...others] = written.filter((each) => each !== undefined);
  expect(others).toEqual([]);
  expect((await store.find('acme', action.id))?.action).toEqual(one?.action);
});

test('an attempt that is not there is no change', async () => {
  const action = await indeterminate();
  await expect(store.apply(learned(action, 2, 'NONE', {}))).rejects.toThrow(RangeError);
  expect((await store.find('acme', action.id))?.action).toEqual(action);
});
