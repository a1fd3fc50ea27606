/**
 * The running system against the model (test/model): random walks, crashes and lost answers included, on the real store and a
 * real HTTP endpoint. `WALKS` sets how many per world (default 100), `WALK_SEED` repeats a run.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports.ts';
import { smallWorld, type World } from '../model/world.ts';
import { openSetting, type Setting } from './setting.ts';
import { type Pick, walk } from './walk.ts';

const runs = Number(process.env.WALKS ?? 100);
const seed = Number(process.env.WALK_SEED ?? Date.now() % 1_000_000_000);

const alone: World = {
  ...smallWorld,
  attempts: 3,
  probe: false,
  person: 'no',
  refuseUnknown: true,
  settleAckLost: true,
};

const worlds: Record<string, World> = {
  'a vendor who keeps deadlines': { ...alone, kind: 'A' },
  'a vendor who ignores deadlines and takes his time': { ...alone, kind: 'B', slowHandler: true },
  'two people, and the same wish twice': { ...alone, actions: 2, attempts: 3, approvers: 2, restage: true },
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
      const details = await check(setting, world, { numRuns: runs, seed });
      if (details.failed) {
        const { errorInstance, counterexamplePath } = details;
        const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
        throw new Error(`WALK_SEED=${seed}, path ${counterexamplePath}:\n${reason}`);
      }
      expect(details.numRuns).toBe(runs);
    },
    60_000 + runs * 2_000,
  );
});

/** Stores that break one rule each; the walks are worth something only if they find every one. */
const brokenStores: Record<string, (store: ActionStore) => ActionStore> = {
  'drops late answers': (store) => ({
    ...store,
    apply: async (change) =>
      change.event === 'LATE_ANSWER' ? { action: change.action, at: new Date() } : store.apply(change),
  }),
  'forgets a doubt when an action expires': (store) => ({
    ...store,
    apply: (change) => store.apply(change.event === 'EXPIRED' ? { ...change, effect: 'NONE' } : change),
  }),
  'releases what nobody answered': (store) => ({
    ...store,
    apply: (change) => store.apply(change.event === 'LEASE_OVER' ? { ...change, state: 'PENDING' } : change),
  }),
};

describe('the walks find a store that', () => {
  test.each(Object.entries(brokenStores))(
    '%s',
    async (_, wrap) => {
      const setting = await openSetting(wrap);
      const details = await check(setting, { ...alone, kind: 'B' }, { numRuns: 300, seed: 1, endOnFailure: true });
      await setting.close();
      expect(details.failed).toBe(true);
    },
    120_000,
  );
});
