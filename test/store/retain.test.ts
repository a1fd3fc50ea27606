import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  applied,
  backdate,
  claimed,
  expired,
  newId,
  proposal,
  rejected,
  released,
  silent,
  staged,
  succeeded,
} from './proposal.ts';

const day = 86_400_000;
const keep = { actionsMs: 30 * day, eventsMs: 365 * day, limit: 100 };

let database: TestDatabase;
let opened: Store;
let store: ActionStore;

beforeAll(async () => {
  database = await createDatabase();
  opened = await openStore({ url: database.appUrl, poolSize: 10 });
  store = opened.actions;
});
beforeEach(async () => {
  await database.forge('truncate action, attempt, intent, stage_request, confirm_key, event');
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

/** Everything that is recorded happened so many days earlier. */
async function age(days: number): Promise<void> {
  const by = [`${days} days`];
  await database.query(
    `update action set created_at = created_at - $1::interval, expires_at = expires_at - $1::interval,
      settled_at = settled_at - $1::interval, sweep_at = sweep_at - $1::interval`,
    by,
  );
  await database.forge('update event set at = at - $1::interval', by);
}

async function done(change: Parameters<typeof staged>[1] = {}): Promise<Action> {
  const executing = await claimed(store, await staged(store, change), { idempotencyKey: newId() });
  return applied(store, succeeded(executing));
}

const tables = ['action', 'attempt', 'intent', 'stage_request', 'confirm_key'] as const;

async function counts(): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const table of [...tables, 'event']) {
    counted[table] = (await database.query(`select from ${table}`)).length;
  }
  return counted;
}

const allOf = (count: number, events: number) => ({
  ...Object.fromEntries(tables.map((table) => [table, count])),
  event: events,
});

test('what is settled goes after its time, with all that hangs on it, and its events after theirs', async () => {
  await done({ requestId: 'old' });
  await done({ requestId: 'of another tenant', tenantId: 'globex' });
  await age(2);
  await done({ requestId: 'young' });
  await age(29);
  expect(await store.retain(keep)).toBe(2);
  expect(await counts()).toEqual(allOf(1, 9));
  expect(await store.findByRequestId('acme', 'agent-credential', 'young')).toBeDefined();
  await age(335);
  expect(await store.retain(keep)).toBe(1 + 6);
  expect(await counts()).toEqual(allOf(0, 3));
  await age(2);
  expect(await store.retain(keep)).toBe(3);
  expect(await counts()).toEqual(allOf(0, 0));
  expect(await store.retain(keep)).toBe(0);
});

test('every way of ending is an end', async () => {
  const refusal = released(await claimed(store, await staged(store)), 'NONE');
  await applied(store, { ...refusal, state: 'REFUSED' });
  await applied(store, { ...released(await claimed(store, await staged(store)), 'NONE'), state: 'FAILED' });
  await applied(store, rejected(await staged(store)));
  const differs = { ...rejected(await staged(store)), state: 'PRECONDITION_FAILED' } as const;
  await applied(store, { ...differs, event: 'PRECONDITION_CHANGED' });
  const late = await staged(store);
  await backdate(database, late.id);
  await applied(store, expired(late));
  const old = await staged(store);
  const amendment = await store.amend(old, proposal());
  if (amendment.kind !== 'amended') throw new Error(amendment.kind);
  await applied(store, rejected(amendment.observed.action));
  await age(31);
  expect(await store.retain(keep)).toBe(7);
  expect(await database.query('select from action')).toEqual([]);
});

describe('never goes, however old it and its events are,', () => {
  test.each([
    ['what is PENDING', async () => staged(store)],
    ['what is EXECUTING', async () => claimed(store, await staged(store))],
    [
      'what is INDETERMINATE',
      async () => applied(store, silent(await claimed(store, await staged(store), { timeoutMs: -60_000 }))),
    ],
    [
      'what FAILED in doubt',
      async () => {
        const change = released(await claimed(store, await staged(store)), 'UNKNOWN');
        return applied(store, { ...change, state: 'FAILED' });
      },
    ],
    [
      'what EXPIRED in doubt',
      async () => {
        const pending = await applied(store, released(await claimed(store, await staged(store)), 'UNKNOWN'));
        await backdate(database, pending.id);
        return applied(store, expired(pending));
      },
    ],
    [
      'what SUCCEEDED beside an attempt that is in doubt',
      async () => {
        const first = await claimed(store, await staged(store), { timeoutMs: -60_000 });
        return applied(store, succeeded(await claimed(store, await applied(store, silent(first)))));
      },
    ],
  ] as [string, () => Promise<Action>][])('%s', async (_, arrange) => {
    const action = await arrange();
    const before = await counts();
    await age(4_000);
    expect(await store.retain(keep)).toBe(0);
    expect(await counts()).toEqual(before);
    expect(await store.find('acme', action.id)).toBeDefined();
  });
});

test('an intent is kept as long as its window, and a rejection as long as it would have waited', async () => {
  const windowed = proposal({ intentWindowMs: 60 * day });
  const action = await done(windowed);
  const waiting = proposal({ ttlMs: 60 * day });
  const no = await applied(store, rejected(await staged(store, waiting)));
  await age(59);
  expect(await store.retain(keep)).toBe(0);
  for (const [asked, holder] of [
    [windowed, action],
    [waiting, no],
  ] as const) {
    const again = await store.insert({ ...asked, id: newId() });
    expect(again).toMatchObject({ kind: 'held', observed: { action: { id: holder.id } } });
  }
  await age(2);
  expect(await store.retain(keep)).toBe(2);
  for (const asked of [windowed, waiting])
    expect((await store.insert({ ...asked, id: newId() })).kind).toBe('inserted');
});

test('an intent that passed on stays with the action that has it now', async () => {
  const asked = proposal({ requestId: 'first' });
  await done(asked);
  await age(31);
  const second = await staged(store, { ...asked, id: newId(), requestId: 'second' });
  expect(await store.retain(keep)).toBe(1);
  expect(await store.insert({ ...asked, id: newId(), requestId: null })).toMatchObject({
    kind: 'held',
    observed: { action: { id: second.id } },
  });
});

test('a request id and a key whose action is gone are new again', async () => {
  const asked = proposal({ requestId: 'again' });
  const executing = await claimed(store, await staged(store, asked), { idempotencyKey: 'again' });
  await applied(store, succeeded(executing));
  await age(31);
  await store.retain(keep);
  const again = await staged(store, { requestId: 'again' });
  await claimed(store, again, { idempotencyKey: 'again' });
});

test('no more goes at once than was asked for, and of two replicas nothing goes twice', async () => {
  for (let index = 0; index < 30; index++) await done();
  await age(31);
  expect(await store.retain({ ...keep, limit: 4 })).toBe(4);
  const gone = await Promise.all(Array.from({ length: 4 }, () => store.retain({ ...keep, limit: 5 })));
  const total = gone.reduce((sum, each) => sum + each, 4);
  expect(await database.query('select from action')).toHaveLength(30 - total);
  await age(365);
  expect(await store.retain({ ...keep, limit: 3 })).toBe(Math.min(3, 30 - total) + 3);
});

test('events may go before their actions, when their time is shorter', async () => {
  const action = await done();
  await age(10);
  expect(await store.retain({ ...keep, eventsMs: 9 * day })).toBe(3);
  expect(await store.find('acme', action.id)).toBeDefined();
});
