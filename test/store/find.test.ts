import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { newId, proposal, staged } from './proposal.ts';
import { createRecorded, type Recorded } from './recorder.ts';

let database: TestDatabase;
let recorded: Recorded;

beforeAll(async () => {
  database = await createDatabase();
  recorded = createRecorded(database.url);
});
beforeEach(() => {
  recorded.ran.length = 0;
});
afterAll(async () => {
  await recorded.pool.end();
  await database.drop();
});

const statements = () => recorded.ran.map(({ statement }) => statement.name);

test('reads of a tenant that are asked for in one turn share a statement, and each gets its own answer', async () => {
  const { store } = recorded;
  const [mine, next, others] = [
    await staged(store),
    await staged(store),
    await staged(store, proposal({ tenantId: 'other' })),
  ];
  recorded.ran.length = 0;
  const found = await Promise.all([
    store.find('acme', next.id),
    store.find('acme', others.id),
    store.find('acme', newId()),
    store.find('acme', mine.id),
    store.find('other', others.id),
    store.find('other', mine.id),
    store.find('acme', next.id),
  ]);
  expect(found.map((each) => each?.action.id)).toEqual([
    next.id,
    undefined,
    undefined,
    mine.id,
    others.id,
    undefined,
    next.id,
  ]);
  expect(found[4]?.action.tenantId).toBe('other');
  expect(statements()).toEqual(['action_by_ids', 'action_by_ids']);
  expect(recorded.ran.map(({ values }) => values[1])).toEqual(['acme', 'other']);
  recorded.ran.length = 0;
  expect(found[3]).toMatchObject({ action: (await store.find('acme', mine.id))?.action });
  expect(statements()).toEqual(['action_by_id']);
});

test('a read sees what was committed before it was asked for, also while an earlier one is still running', async () => {
  const { store, before } = recorded;
  const { id } = await staged(store);
  const held = Promise.withResolvers<void>();
  before.set('action_by_id', () => held.promise);
  const early = store.find('acme', id);
  await new Promise((resolve) => setImmediate(resolve));
  await database.query('update action set version = 7 where id = $1', [id]);
  before.delete('action_by_id');
  expect((await store.find('acme', id))?.action.version).toBe(7);
  held.resolve();
  expect((await early)?.action.id).toBe(id);
});

test('more than a statement takes are asked for by several', async () => {
  const { store } = recorded;
  const actions = await Promise.all(Array.from({ length: 3 }, () => staged(store)));
  recorded.ran.length = 0;
  const ids = Array.from({ length: 250 }, (_, n) => actions[n % 3]?.id ?? newId());
  const found = await Promise.all(ids.map((id) => store.find('acme', id)));
  expect(found.map((each) => each?.action.id)).toEqual(ids);
  expect(statements()).toEqual(['action_by_ids', 'action_by_ids', 'action_by_ids']);
});

test('what fails fails for all that shared it, and for nobody of another tenant or after', async () => {
  const { store, before } = recorded;
  const { id } = await staged(store);
  before.set('action_by_ids', () => Promise.reject(new Error('away')));
  const asked = [store.find('acme', id), store.find('other', newId()), store.find('acme', newId())];
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  before.delete('action_by_ids');
  expect((await store.find('acme', id))?.action.id).toBe(id);
});
