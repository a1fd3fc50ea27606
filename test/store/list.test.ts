import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Action, type ActionId, parseActionId } from '../../server/domain/action.ts';
import type { ActionFilter, ActionStore, ListQuery, NewAction } from '../../server/lifecycle/ports/action-store.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, proposal, rejected, silent, staged, succeeded } from './proposal.ts';
import { expectCompleteTrails } from './trail.ts';

let database: TestDatabase;
let opened: Store;
let store: ActionStore;
let made = 0;

beforeAll(async () => {
  database = await createDatabase();
  opened = await openStore({ url: database.appUrl, poolSize: 10 });
  store = opened.actions;
});
beforeEach(async () => {
  await database.forge('truncate action, attempt, intent, stage_request, confirm_key, event');
});
afterEach(() => expectCompleteTrails(database));
afterAll(async () => {
  await opened.close();
  await database.drop();
});

/** Ids in the order of their making, as the server's are. */
function nextId(): ActionId {
  made += 1;
  const digits = made.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  const id = parseActionId(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
  if (id === undefined) throw new Error(digits);
  return id;
}

function next(change: Partial<NewAction> = {}): Promise<Action> {
  const id = nextId();
  return staged(store, { ...proposal(), id, planId: id, ...change });
}

function several(count: number, change: Partial<NewAction> = {}): Promise<Action[]> {
  return Promise.all(Array.from({ length: count }, () => next(change)));
}

function query(filter: ActionFilter = {}, change: Partial<ListQuery> = {}): ListQuery {
  return { tenantId: 'acme', filter, scopes: null, proposedByCredential: null, limit: 50, after: null, ...change };
}

async function idsOf(filter: ActionFilter = {}, change: Partial<ListQuery> = {}): Promise<string[]> {
  return (await store.list(query(filter, change))).items.map(({ action }) => action.id);
}

const newestFirst = (actions: readonly Action[]): string[] =>
  actions
    .map(({ id }) => id as string)
    .sort()
    .reverse();

test('a page holds the newest actions whole, as each is found by its id', async () => {
  const executing = await claimed(store, await next({ value: { amountJson: '1', threshold: 2, unit: 'EUR' } }));
  const done = await applied(store, succeeded(await claimed(store, await next())));
  const page = await store.list(query());
  expect(page.more).toBe(false);
  expect(page.items.map(({ action }) => action)).toEqual([done, executing]);
});

test('pages go on where the one before ended, whatever is staged meanwhile, and say when there is no more', async () => {
  const before = await several(25);
  const seen: string[] = [];
  let after: ActionId | null = null;
  for (const last of [false, false, true]) {
    const page = await store.list(query({}, { limit: 10, after }));
    expect(page.items).toHaveLength(last ? 5 : 10);
    expect(page.more).toBe(!last);
    seen.push(...page.items.map(({ action }) => action.id));
    after = page.items.at(-1)?.action.id ?? null;
    await several(7);
  }
  expect(seen).toEqual(newestFirst(before));
});

test('a page that is just full is the last', async () => {
  await several(3);
  expect(await store.list(query({}, { limit: 3 }))).toMatchObject({ more: false });
  expect(await store.list(query({}, { limit: 2 }))).toMatchObject({ more: true });
});

test('a tenant sees its own only, also of one plan and one id', async () => {
  const [ours, theirs] = [
    await several(3, { planId: 'shared' }),
    await several(3, { planId: 'shared', tenantId: 'globex' }),
  ];
  expect(await idsOf()).toEqual(newestFirst(ours));
  expect(await idsOf({ planId: 'shared' })).toEqual(newestFirst(ours));
  expect(await idsOf({ planId: 'shared' }, { tenantId: 'globex' })).toEqual(newestFirst(theirs));
  const alone = await next();
  await next({ id: alone.id, planId: alone.id, tenantId: 'globex' });
  const items = (await store.list(query({ planId: alone.id }))).items.map(({ action }) => action);
  expect(items).toEqual([alone]);
});

describe('a filter', () => {
  test('by state finds these states and no other', async () => {
    const pending = await next();
    const executing = await claimed(store, await next());
    const done = await applied(store, succeeded(await claimed(store, await next())));
    const no = await applied(store, rejected(await next()));
    expect(await idsOf({ states: ['PENDING'] })).toEqual([pending.id]);
    expect(await idsOf({ states: ['PENDING', 'EXECUTING'] })).toEqual(newestFirst([pending, executing]));
    expect(await idsOf({ states: ['SUCCEEDED', 'PENDING'] })).toEqual(newestFirst([done, pending]));
    expect(await idsOf({ states: ['REJECTED'] })).toEqual([no.id]);
    expect(await idsOf({ states: ['INDETERMINATE'] })).toEqual([]);
  });

  test('by plan finds what was proposed in it, also where the plan was made for its first action', async () => {
    const first = await next();
    const [second] = await several(1, { planId: first.id });
    const named = await several(2, { planId: 'turn-7' });
    await several(2, { planId: 'turn-70' });
    if (second === undefined) throw new Error('not staged');
    expect(await idsOf({ planId: first.id })).toEqual(newestFirst([first, second]));
    expect(await idsOf({ planId: second.id })).toEqual([]);
    expect(await idsOf({ planId: 'turn-7' })).toEqual(newestFirst(named));
    expect(await idsOf({ planId: 'turn-7' }, { limit: 1, after: named[1]?.id ?? null })).toHaveLength(1);
    // An id in other letters is another plan.
    expect(await idsOf({ planId: first.id.toUpperCase() })).toEqual([]);
  });

  test('by scope, user and tool finds what has all of them', async () => {
    const wanted = await next({ scope: 'b', userId: 'u_9', tool: 'refund' });
    await next({ scope: 'a', userId: 'u_9', tool: 'refund' });
    await next({ scope: 'b', userId: 'u_8', tool: 'refund' });
    await next({ scope: 'b', userId: 'u_9', tool: 'void' });
    expect(await idsOf({ scope: 'b', userId: 'u_9', tool: 'refund' })).toEqual([wanted.id]);
    expect(await idsOf({ scope: 'b' })).toHaveLength(3);
    expect(await idsOf({ userId: 'u_9' })).toHaveLength(3);
    expect(await idsOf({ tool: 'refund' })).toHaveLength(3);
    expect(await idsOf({ scope: '' })).toEqual([]);
  });

  test('by need of attention finds everything that a person should look at', async () => {
    await next();
    await applied(store, succeeded(await claimed(store, await next())));
    const doubted = await applied(store, silent(await claimed(store, await next(), { timeoutMs: -60_000 })));
    const unverified = await applied(store, {
      ...succeeded(await claimed(store, await next())),
      verification: { state: 'UNVERIFIED', reason: 'still open', at: new Date() },
    });
    expect(await idsOf({ needsAttention: true })).toEqual(newestFirst([doubted, unverified]));
    expect(await idsOf({ needsAttention: true, states: ['INDETERMINATE'] })).toEqual([doubted.id]);
    expect(await idsOf({ needsAttention: false })).toHaveLength(4);
  });

  test('of who asks leaves only their scopes, and only what their credential proposed', async () => {
    const mine = { credentialId: 'mine', userId: 'agent-user' };
    const a = await next({ scope: 'a', proposedBy: mine });
    const b = await next({ scope: 'b' });
    const nowhere = await next({ scope: '', proposedBy: mine });
    expect(await idsOf({}, { scopes: ['a', 'b'] })).toEqual(newestFirst([a, b]));
    expect(await idsOf({ scope: 'a' }, { scopes: ['b'] })).toEqual([]);
    expect(await idsOf({}, { scopes: [] })).toEqual([]);
    expect(await idsOf({}, { proposedByCredential: 'mine' })).toEqual(newestFirst([a, nowhere]));
    expect(await idsOf({}, { proposedByCredential: 'mine', scopes: ['a'] })).toEqual([a.id]);
  });
});
