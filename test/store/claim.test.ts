import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../server/store/open.ts';
import { openStores } from './open-stores.ts';
import { applied, approver, claimed, claimOf, released, silent, staged } from './proposal.ts';

const { database, store, storeOf } = await openStores(2, 20);

test('of forty claims at once, over two servers, one wins', async () => {
  const action = await staged(store);
  const claims = await Promise.all(
    Array.from({ length: 40 }, (_, index) => storeOf(index).claim(claimOf(action, { idempotencyKey: `k-${index}` }))),
  );
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  expect(claims.filter(({ kind }) => kind === 'lost')).toHaveLength(39);
  expect(await database.query('select from attempt where action_id = $1', [action.id])).toHaveLength(1);
  expect(await database.query('select from confirm_key where action_id = $1', [action.id])).toHaveLength(1);
});

test('a claim fixes the deadline and the lease by the clock of the database', async () => {
  const action = await staged(store);
  const outcome = await store.claim(claimOf(action, { timeoutMs: 1_500, idempotencyKey: 'fixes' }));
  if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
  const { attempt } = outcome;
  const started = attempt.startedAt.getTime();
  expect(attempt).toMatchObject({ number: 1, outcome: 'OPEN', effect: 'UNKNOWN', confirmedBy: approver });
  expect(attempt.deadlineAt.getTime() - started).toBe(1_500);
  expect(attempt.leaseUntil.getTime() - started).toBe(31_500);
  const found = await store.find('acme', action.id);
  expect(found?.action).toEqual(outcome.action);
  expect(found?.action).toMatchObject({ state: 'EXECUTING', effect: 'UNKNOWN', version: 2, attempts: [attempt] });
  expect(started).toBeGreaterThanOrEqual(action.createdAt.getTime());
  expect(started).toBeLessThanOrEqual(found?.at.getTime() ?? 0);
});

test('a claim is lost past the expiry, with another version, with another state, and by another tenant', async () => {
  const overdue = await staged(store);
  await database.query(`update action set expires_at = now() where id = $1`, [overdue.id]);
  expect(await store.claim(claimOf(overdue))).toEqual({ kind: 'lost' });
  const action = await staged(store);
  expect(await store.claim(claimOf({ ...action, version: 2 }))).toEqual({ kind: 'lost' });
  expect(await store.claim(claimOf({ ...action, state: 'INDETERMINATE' }))).toEqual({ kind: 'lost' });
  expect(await store.claim(claimOf({ ...action, tenantId: 'globex' }))).toEqual({ kind: 'lost' });
  const executing = await claimed(store, action);
  expect(await store.claim(claimOf(executing))).toEqual({ kind: 'lost' });
  expect((await store.find('acme', overdue.id))?.action.version).toBe(1);
});

test('a key that was given to one action claims no other, and leaves nothing behind', async () => {
  const first = await staged(store);
  const second = await staged(store);
  await claimed(store, first, { idempotencyKey: 'reused' });
  expect(await store.claim(claimOf(second, { idempotencyKey: 'reused' }))).toEqual({ kind: 'key-reused' });
  expect((await store.find('acme', second.id))?.action).toEqual(second);
  expect((await store.findByIdempotencyKey('acme', approver.userId, 'reused'))?.action.id).toBe(first.id);
  expect(await store.findByIdempotencyKey('globex', approver.userId, 'reused')).toBeUndefined();
  expect(await store.findByIdempotencyKey('acme', 'somebody-else', 'reused')).toBeUndefined();
});

test('of twenty actions confirmed at once with one key, one is claimed', async () => {
  const actions = await Promise.all(Array.from({ length: 20 }, () => staged(store)));
  const claims = await Promise.all(
    actions.map((action, index) => storeOf(index).claim(claimOf(action, { idempotencyKey: 'one-for-all' }))),
  );
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  expect(claims.filter(({ kind }) => kind === 'key-reused')).toHaveLength(19);
});

test('the same key is good for another user, and for another tenant', async () => {
  const other = { credentialId: 'approver-2', userId: 'approver-user-2' };
  await claimed(store, await staged(store), { idempotencyKey: 'mine-too' });
  await claimed(store, await staged(store), { idempotencyKey: 'mine-too', approver: other });
  await claimed(store, await staged(store, { tenantId: 'globex' }), { idempotencyKey: 'mine-too' });
});

test('a further attempt may come with the same key, with another one, or with none', async () => {
  let action = await staged(store);
  for (const idempotencyKey of ['first', 'first', null]) {
    const executing = await claimed(store, action, { idempotencyKey });
    action = await applied(store, released(executing, 'NONE'));
  }
  expect(action.attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect((await store.findByIdempotencyKey('acme', approver.userId, 'first'))?.action).toEqual(action);
});

test('an indeterminate action can be claimed again', async () => {
  const executing = await claimed(store, await staged(store), { timeoutMs: -60_000 });
  const again = await claimed(store, await applied(store, silent(executing)));
  expect(again.attempts.map(({ outcome }) => outcome)).toEqual(['NO_ANSWER', 'OPEN']);
});

test('an action has one open attempt at most, even if its state were lost', async () => {
  const action = await staged(store);
  const { attempts } = await claimed(store, action);
  await database.query(`update action set state = 'PENDING', version = 1 where id = $1`, [action.id]);
  // Another number, so that only the index on open attempts stands in the way.
  expect(await store.claim(claimOf({ ...action, attempts }))).toEqual({ kind: 'lost' });
  await database.query(`update action set state = 'EXECUTING', version = 2 where id = $1`, [action.id]);
});

test('two tenants may have an action of the same id, and share nothing of it', async () => {
  const ours = await staged(store);
  const theirs = await staged(store, { id: ours.id, tenantId: 'globex' });
  const executing = await claimed(store, ours);
  expect((await store.find('globex', theirs.id))?.action).toEqual(theirs);
  await claimed(store, theirs);
  await applied(store, released(executing, 'NONE'));
  expect((await store.find('globex', theirs.id))?.action).toMatchObject({
    state: 'EXECUTING',
    version: 2,
    attempts: [{ outcome: 'OPEN' }],
  });
});

test('a claim that is told is on the disk, also where commits need not wait for it', async () => {
  const url = new URL(database.appUrl);
  url.searchParams.set('options', '-c synchronous_commit=off');
  const careless = await openStore({ url: url.href, poolSize: 1 });
  onTestFinished(() => careless.close());
  const place = async (of: 'insert' | 'flush'): Promise<string> => {
    const [row] = await database.query<{ lsn: string }>(`select pg_current_wal_${of}_lsn()::text as lsn`);
    return row?.lsn ?? '';
  };
  for (let round = 0; round < 20; round++) {
    const action = await staged(careless.actions);
    const before = await place('insert');
    expect(await careless.actions.claim(claimOf(action))).toMatchObject({ kind: 'claimed' });
    const compared = [await place('flush'), before];
    expect(await database.query('select $1::pg_lsn > $2::pg_lsn as written', compared)).toEqual([{ written: true }]);
  }
});
