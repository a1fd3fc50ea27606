/**
 * The running system against the model (test/model): random walks, crashes and lost answers included, on the real store and a
 * real HTTP endpoint. `WALKS` sets how many per world (default 80), `WALK_SEED` repeats a run.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observed } from '../../server/domain/action.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { smallWorld, type World } from '../model/world.ts';
import { openSetting, type Setting } from './setting.ts';
import { type Pick, walk } from './walk.ts';

const runs = Number(process.env.WALKS ?? 80);
/** Of one world, with what it takes to find a shorter walk to a fault, ms. */
const limit = 60_000 + runs * 1_000;
const seed = Number(process.env.WALK_SEED ?? Date.now() % 1_000_000_000);

const alone: World = {
  ...smallWorld,
  attempts: 3,
  probe: false,
  person: 'no',
  refuseUnknown: true,
  settleAckLost: true,
};
const everybody: World = { ...alone, probe: true, person: 'sees', reject: true };

const worlds: Record<string, World> = {
  'a vendor who keeps deadlines': { ...alone, kind: 'A' },
  'a vendor who ignores deadlines and takes his time': { ...alone, kind: 'B', slowHandler: true },
  'two people, and the same wish twice': { ...alone, actions: 2, approvers: 2, restage: true },
  'a prober, people who look, and people who reject': everybody,
  'a world that changes, and people who amend': {
    ...everybody,
    ...{ actions: 2, approvers: 2, precondition: true, amend: true, restage: true },
  },
  'a vendor who ignores deadlines, and a person who knows': {
    ...everybody,
    ...{ kind: 'B', slowHandler: true, probe: false, person: 'knows', precondition: true },
  },
};

const picks = fc.array(fc.record({ kind: fc.nat(999), which: fc.nat(19) }), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});

function check(setting: Setting, world: World, parameters: fc.Parameters<[Pick[]]>) {
  return fc.check(
    fc.asyncProperty(picks, (chosen: Pick[]) => walk(setting, world, chosen)),
    parameters,
  );
}

describe('the running system does what the model does', () => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await openSetting();
  });
  afterAll(() => setting.close());

  test.each(Object.entries(worlds))(
    '%s',
    async (_, world) => {
      const details = await check(setting, world, {
        numRuns: runs,
        seed,
        interruptAfterTimeLimit: limit,
        markInterruptAsFailure: true,
      });
      if (details.failed) {
        const { errorInstance, counterexamplePath } = details;
        const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
        throw new Error(`WALK_SEED=${seed}, path ${counterexamplePath}:\n${reason}`);
      }
      expect(details.numRuns).toBe(runs);
    },
    limit + 30_000,
  );
});

/** Stores that break one rule each, and a world that shows it; the walks are worth something only if they find every one. */
const brokenStores: Record<string, readonly [World, (store: ActionStore) => ActionStore]> = {
  'drops late answers': [
    { ...alone, kind: 'B' },
    (store) => ({
      ...store,
      apply: async (change) =>
        change.event === 'LATE_ANSWER' ? { action: change.action, at: new Date() } : store.apply(change),
    }),
  ],
  'forgets a doubt when an action expires': [
    { ...alone, kind: 'B' },
    (store) => ({
      ...store,
      apply: (change) => store.apply(change.event === 'EXPIRED' ? { ...change, effect: 'NONE' } : change),
    }),
  ],
  'releases what nobody answered': [
    { ...alone, kind: 'B' },
    (store) => ({
      ...store,
      apply: (change) => store.apply(change.event === 'LEASE_OVER' ? { ...change, state: 'PENDING' } : change),
    }),
  ],
  'tells of deadlines that have long passed, so that "not landed" is believed too early': [
    everybody,
    (store) => ({ ...store, find: async (...which) => longAgo(await store.find(...which)) }),
  ],
  'writes over whoever was faster': [
    everybody,
    (store) => ({
      ...store,
      async apply(change) {
        const now = await store.find(change.action.tenantId, change.action.id);
        return store.apply({ ...change, action: now?.action ?? change.action });
      },
    }),
  ],
};

function longAgo(seen: Observed | undefined): Observed | undefined {
  if (seen === undefined) return undefined;
  const attempts = seen.action.attempts.map((attempt) => ({ ...attempt, deadlineAt: new Date(0) }));
  return { ...seen, action: { ...seen.action, attempts } };
}

describe('the walks find a store that', () => {
  test.each(Object.entries(brokenStores))(
    '%s',
    async (_, [world, wrap]) => {
      const setting = await openSetting(wrap);
      const details = await check(setting, world, { numRuns: 300, seed: 1, endOnFailure: true });
      await setting.close();
      expect(details.failed).toBe(true);
    },
    120_000,
  );
});
