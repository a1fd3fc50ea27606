import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, expired, released, silent, staged, succeeded } from './proposal.ts';
import { expectCompleteTrails } from './trail.ts';

let database: TestDatabase;
let opened: Store;
let store: ActionStore;

beforeAll(async () => {
  database = await createDatabase();
  opened = await openStore({ url: database.appUrl, poolSize: 4 });
  store = opened.actions;
});
afterEach(async () => {
  await expectCompleteTrails(database);
  await database.forge('truncate action, attempt, intent, stage_request, confirm_key, event');
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

const ids = (found: { action: { id: string } }[]) => found.map(({ action }) => action.id);

async function backdate(id: string, by: string): Promise<void> {
  await database.query(
    `update action set expires_at = expires_at - $2::interval, sweep_at = sweep_at - $2::interval where id = $1`,
    [id, by],
  );
}

test('overdue are the PENDING actions past their expiry, of all tenants, longest first', async () => {
  const first = await staged(store, { tenantId: 'globex' });
  const second = await staged(store);
  await staged(store);
  const executing = await claimed(store, await staged(store));
  await backdate(second.id, '1 hour');
  await backdate(first.id, '2 hours');
  await backdate(executing.id, '3 hours');
  expect(ids(await store.overdue(10))).toEqual([first.id, second.id]);
  expect(ids(await store.overdue(1))).toEqual([first.id]);
  await applied(store, expired(first));
  expect(ids(await store.overdue(10))).toEqual([second.id]);
});

test('an action that is released past its expiry is overdue', async () => {
  const executing = await claimed(store, await staged(store));
  await database.query(`update action set expires_at = now() where id = $1`, [executing.id]);
  const pending = await applied(store, released(executing, 'UNKNOWN'));
  expect(ids(await store.overdue(10))).toEqual([pending.id]);
});

test('orphaned are the EXECUTING actions whose lease is over, of all tenants', async () => {
  const first = await claimed(store, await staged(store, { tenantId: 'globex' }), { timeoutMs: -60_000 });
  const second = await claimed(store, await staged(store), { timeoutMs: -40_000 });
  await claimed(store, await staged(store));
  const late = await staged(store);
  await backdate(late.id, '1 hour');
  const found = await store.orphaned(10);
  expect(ids(found)).toEqual([first.id, second.id]);
  expect(found[0]?.action).toEqual(first);
  await applied(store, silent(first));
  await applied(store, succeeded(second));
  expect(await store.orphaned(10)).toEqual([]);
});
