import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, learned, silent, staged, succeeded } from './proposal.ts';
import { expectCompleteTrails } from './trail.ts';

let database: TestDatabase;
let stores: Store[];
let store: ActionStore;

beforeAll(async () => {
  database = await createDatabase();
  stores = await Promise.all([1, 2].map(() => openStore({ url: database.appUrl, poolSize: 10 })));
  const [first] = stores;
  if (first === undefined) throw new Error('no store');
  store = first.actions;
});
beforeEach(async () => {
  await database.forge('truncate action, attempt, intent, stage_request, confirm_key, event');
});
afterEach(() => expectCompleteTrails(database));
afterAll(async () => {
  await Promise.all(stores.map((each) => each.close()));
  await database.drop();
});

/** In doubt, and to be asked about in so many ms. */
async function doubted(probeInMs: number, tenantId = 'acme'): Promise<Action> {
  const executing = await claimed(store, await staged(store, { tenantId }), { timeoutMs: -60_000 });
  return applied(store, { ...silent(executing), probeInMs });
}

async function verifiable(verifyInMs: number, tenantId = 'acme'): Promise<Action> {
  const executing = await claimed(store, await staged(store, { tenantId }));
  const verification = { state: 'DUE', reason: '', at: null } as const;
  return applied(store, { ...succeeded(executing), verification, verifyInMs });
}

const minute = 60_000;
const kinds = [
  ['a probe', doubted, (from: ActionStore, limit: number) => from.takeDueProbes(limit, 5 * minute)],
  ['a verification', verifiable, (from: ActionStore, limit: number) => from.takeDueVerifications(limit, 5 * minute)],
] as const;

test.each(kinds)('%s is taken when it is due, of all tenants, and not again until its time', async (_, make, take) => {
  const due = [await make(0), await make(-minute, 'globex')];
  await make(minute);
  const taken = await take(store, 10);
  expect(taken.map(({ action }) => action.id).sort()).toEqual(due.map(({ id }) => id).sort());
  for (const { action } of taken) {
    const before = due.find(({ id }) => id === action.id);
    expect({ ...action, nextProbeAt: null }).toEqual({ ...before, nextProbeAt: null });
    expect((await store.find(action.tenantId, action.id))?.action).toEqual(action);
  }
  expect(await take(store, 10)).toEqual([]);
  await database.query(
    `update action set next_probe_at = next_probe_at - interval '5 minutes', verify_at = verify_at - interval '5 minutes'`,
  );
  expect(await take(store, 10)).toHaveLength(3);
});

test.each(kinds)(
  '%s is taken by one of several replicas, longest overdue first, and no more than asked for',
  async (_, make, take) => {
    const due: Action[] = [];
    for (let index = 0; index < 30; index++) due.push(await make(-minute * (30 - index)));
    const first = await take(store, 5);
    expect(first.map(({ action }) => action.id).sort()).toEqual(
      due
        .slice(0, 5)
        .map(({ id }) => id)
        .sort(),
    );
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, index) => take(stores[index % 2]?.actions ?? store, 4)),
    );
    const ids = taken.flat().map(({ action }) => action.id);
    expect(new Set(ids).size).toBe(ids.length);
    while (ids.length < 25) {
      const more = await take(store, 4);
      expect(more.length).toBeGreaterThan(0);
      ids.push(...more.map(({ action }) => action.id));
    }
    expect([...ids].sort()).toEqual(
      due
        .slice(5)
        .map(({ id }) => id)
        .sort(),
    );
  },
);

test('two tenants with an action of the same id have two probes', async () => {
  const ours = await doubted(0);
  const executing = await claimed(store, await staged(store, { id: ours.id, tenantId: 'globex' }), {
    timeoutMs: -60_000,
  });
  await applied(store, { ...silent(executing), probeInMs: minute });
  const other = await doubted(0, 'globex');
  const taken = await store.takeDueProbes(10, minute);
  expect(new Set(taken.map(({ action }) => [action.tenantId, action.id].join()))).toEqual(
    new Set([`acme,${ours.id}`, `globex,${other.id}`]),
  );
});

test('the next probe is set for the version that was read, and for no other', async () => {
  const action = await doubted(0);
  await store.scheduleProbe({ ...action, version: action.version - 1 }, minute);
  await store.scheduleProbe({ ...action, tenantId: 'globex' }, minute);
  expect((await store.find('acme', action.id))?.action).toEqual(action);
  await store.scheduleProbe(action, minute);
  const later = await store.find('acme', action.id);
  const wait = (later?.action.nextProbeAt?.getTime() ?? 0) - (later?.at.getTime() ?? 0);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(minute);
  expect(later?.action.version).toBe(action.version);
  await store.scheduleProbe(action, null);
  expect((await store.find('acme', action.id))?.action.nextProbeAt).toBeNull();
  expect(await store.takeDueProbes(10, minute)).toEqual([]);
});

test('a claim ends the probing, and so does what clears the doubt', async () => {
  const again = await claimed(store, await doubted(0));
  expect((await store.find('acme', again.id))?.action).toEqual(again);
  expect(again.nextProbeAt).toBeNull();
  const doubt = await doubted(0);
  const cleared = await applied(store, learned(doubt, 1, 'NONE', { state: 'PENDING', probeInMs: null }));
  expect((await store.find('acme', doubt.id))?.action).toEqual(cleared);
  expect(cleared.nextProbeAt).toBeNull();
  expect(await store.takeDueProbes(10, minute)).toEqual([]);
});
