import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import type { ActionEvent, EventLog, Position } from '../../server/lifecycle/ports/events.ts';
import { createDatabase as createDatabaseOver } from '../../server/store/database.ts';
import { createAnnouncer } from '../../server/store/events/announcer.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  agent,
  applied,
  approver,
  claimed,
  claimOf,
  newId,
  proposal,
  released,
  staged,
  succeeded,
} from './proposal.ts';
import { createRecorded } from './recorder.ts';
import { expectCompleteTrails } from './trail.ts';

let database: TestDatabase;
let stores: Store[];
let store: ActionStore;
let events: EventLog;

beforeAll(async () => {
  database = await createDatabase();
  stores = await Promise.all([1, 2].map(() => openStore({ url: database.appUrl, poolSize: 10 })));
  store = storeOf(0).actions;
  events = storeOf(0).events;
});
afterEach(() => expectCompleteTrails(database));
afterAll(async () => {
  await Promise.all(stores.map((each) => each.close()));
  await database.drop();
});

function storeOf(index: number): Store {
  const chosen = stores[index % stores.length];
  if (chosen === undefined) throw new Error('no store');
  return chosen;
}

/** Another database of the same server may hold transactions open: then what was just written shows a little later. */
const patience = { timeout: 20_000 };

let tenants = 0;
const newTenant = (): string => `tenant-${++tenants}`;

async function all(tenantId: string, after: Position | null = null, log = events): Promise<readonly ActionEvent[]> {
  return log.read({ tenantId, after, limit: 1_000 });
}

async function eventually(tenantId: string, count: number): Promise<readonly ActionEvent[]> {
  await expect.poll(() => all(tenantId), patience).toHaveLength(count);
  return all(tenantId);
}

/** One life: three events. */
async function live(tenantId: string, through: ActionStore = store): Promise<string> {
  const action = await staged(through, { tenantId });
  await applied(through, succeeded(await claimed(through, action)));
  return action.id;
}

describe('the trail of a tenant', () => {
  test('tells every transition whole, in order', async () => {
    const tenantId = newTenant();
    const action = await staged(store, { tenantId });
    await live(newTenant());
    const executing = await claimed(store, action);
    const pending = await applied(store, released(executing, 'UNKNOWN'));
    const told = await eventually(tenantId, 3);
    const { id: actionId, previewDigest, createdAt } = action;
    const common = { actionId, previewDigest, note: '' };
    expect(told.map(({ position: _, at: __, ...event }) => event)).toEqual([
      { ...common, version: 1, type: 'STAGED', from: null, to: 'PENDING', effect: 'NONE', attempt: null, actor: agent },
      {
        ...common,
        version: 2,
        type: 'CLAIMED',
        from: 'PENDING',
        to: 'EXECUTING',
        effect: 'UNKNOWN',
        attempt: 1,
        actor: approver,
      },
      {
        ...common,
        version: 3,
        type: 'SETTLED',
        from: 'EXECUTING',
        to: 'PENDING',
        effect: 'UNKNOWN',
        attempt: 1,
        actor: approver,
      },
    ]);
    expect(told.map(({ at }) => at)).toEqual([
      createdAt,
      executing.attempts[0]?.startedAt,
      pending.attempts[0]?.finishedAt,
    ]);
    expect(await all('nobody')).toEqual([]);
  });

  test('is read on from any place in it', async () => {
    const tenantId = newTenant();
    for (const _ of [1, 2, 3]) await live(tenantId);
    const told = await eventually(tenantId, 9);
    const pages: ActionEvent[] = [];
    for (let after: Position | null = null; ; ) {
      const page: readonly ActionEvent[] = await events.read({ tenantId, after, limit: 2 });
      const last = page.at(-1);
      if (last === undefined) break;
      pages.push(...page);
      after = last.position;
    }
    expect(pages).toEqual(told);
    expect(await all(tenantId, told[3]?.position)).toEqual(told.slice(4));
    expect(await all(newTenant(), told[3]?.position)).toEqual([]);
  });

  test('has an end, after which comes what is still to come, and all of it', async () => {
    const tenantId = newTenant();
    await live(tenantId);
    await eventually(tenantId, 3);
    const end = await events.end();
    expect(await all(tenantId, end)).toEqual([]);
    const id = await live(tenantId, storeOf(1).actions);
    await expect.poll(() => all(tenantId, end), patience).toHaveLength(3);
    expect(new Set((await all(tenantId, end)).map(({ actionId }) => actionId))).toEqual(new Set([id]));
  });

  test('is not there beyond a place that nobody was given', async () => {
    const tenantId = newTenant();
    await live(tenantId);
    for (const transaction of [2n ** 64n - 1n, 2n ** 64n, 10n ** 20n - 1n])
      expect(await all(tenantId, { transaction, sequence: 10n ** 19n - 1n })).toEqual([]);
  });
});

test('the trail of one action shows the newest transition at once, whoever is slow elsewhere', async () => {
  const tenantId = newTenant();
  const slow = await beginSlow();
  try {
    const action = await staged(store, { tenantId });
    await claimed(store, action);
    await live(tenantId);
    const read = (after: Position | null) => events.read({ tenantId, actionId: action.id, after, limit: 10 });
    const told = await read(null);
    expect(told.map(({ version, type }) => [version, type])).toEqual([
      [1, 'STAGED'],
      [2, 'CLAIMED'],
    ]);
    expect(await read(told[0]?.position ?? null)).toEqual(told.slice(1));
    expect(await events.read({ tenantId: newTenant(), actionId: action.id, after: null, limit: 10 })).toEqual([]);
    expect(await all(tenantId)).toEqual([]);
  } finally {
    await slow.end('rollback');
  }
});

/** A transaction that has begun to write, and will be long about it. */
async function beginSlow() {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return {
    /** Copies the event of a tenant's newest action as if it were staged by this transaction, under an id of its own. */
    async stage(tenantId: string): Promise<string> {
      const id = newId();
      await client.query(
        `insert into action select (jsonb_populate_record(a, jsonb_build_object('id', $1::text))).* from action a
          where tenant_id = $2 limit 1`,
        [id, tenantId],
      );
      await client.query(
        `insert into event (action_id, version, tenant_id, type, to_state, effect, preview_digest, at)
          values ($1, 1, $2, 'STAGED', 'PENDING', 'NONE', '', now())`,
        [id, tenantId],
      );
      return id;
    },
    async end(how: 'commit' | 'rollback') {
      await client.query(how);
      await client.end();
    },
  };
}

describe('when transactions commit in another order than they began, no reader skips an event', () => {
  test.each(['before', 'after'])('that was written %s what was committed first', async (when) => {
    const tenantId = newTenant();
    await staged(store, { tenantId });
    const [first] = await eventually(tenantId, 1);
    const end = await events.end();
    const slow = await beginSlow();
    let late = '';
    if (when === 'before') late = await slow.stage(tenantId);
    const quick = await staged(store, { tenantId });
    expect(await all(tenantId, first?.position)).toEqual([]);
    expect(await all(tenantId, end)).toEqual([]);
    // Who begins now does not begin behind what is still to come.
    const meanwhile = await events.end();
    if (when === 'after') late = await slow.stage(tenantId);
    await slow.end('commit');
    for (const from of [first?.position ?? null, end, meanwhile]) {
      await expect.poll(() => all(tenantId, from), patience).toHaveLength(2);
      expect((await all(tenantId, from)).map(({ actionId }) => actionId)).toEqual([late, quick.id]);
    }
  });
});

/** Counts what is heard. */
function ear(log: EventLog, tenantId: string) {
  let count = 0;
  const stop = log.listen(tenantId, () => {
    count += 1;
  });
  return { stop, count: () => count };
}

async function connections(): Promise<number[]> {
  const rows = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'tether-events'
      and query = 'listen tether_events'`,
  );
  return rows.map(({ pid }) => pid);
}

describe('who listens', () => {
  test('needs one connection of the process, and none before', async () => {
    const own = await openStore({ url: database.appUrl, poolSize: 2 });
    const before = await connections();
    await own.ping();
    expect(await connections()).toEqual(before);
    const stops = Array.from({ length: 20 }, (_, index) => own.events.listen(`tenant-${index % 3}`, () => undefined));
    await expect.poll(connections, patience).toHaveLength(before.length + 1);
    for (const stop of stops) stop();
    await own.close();
    expect(await connections()).toHaveLength(before.length);
  });

  test('hears of changes here and on another replica, of their own tenant only, until they stop', async () => {
    const tenantId = newTenant();
    const [near, far] = [ear(events, tenantId), ear(storeOf(1).events, tenantId)];
    const deaf = ear(storeOf(1).events, newTenant());
    await expect.poll(async () => (await connections()).length, patience).toBe(2);
    // The first connection may wake everybody once.
    const others = deaf.count();
    await live(tenantId);
    await expect.poll(near.count, patience).toBeGreaterThan(0);
    await expect.poll(far.count, patience).toBeGreaterThan(0);
    near.stop();
    far.stop();
    const [heardNear, heardFar] = [near.count(), far.count()];
    const still = ear(events, tenantId);
    await live(tenantId);
    await expect.poll(still.count, patience).toBeGreaterThan(0);
    expect([near.count(), far.count(), deaf.count()]).toEqual([heardNear, heardFar, others]);
    still.stop();
    deaf.stop();
  });

  test('hears again after their connection was killed, and is woken for what was missed', async () => {
    const tenantId = newTenant();
    const far = ear(storeOf(1).events, tenantId);
    await expect.poll(async () => (await connections()).length, patience).toBe(2);
    const before = await connections();
    const heard = far.count();
    await database.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [before]);
    await expect.poll(far.count, patience).toBeGreaterThan(heard);
    expect((await connections()).filter((pid) => before.includes(pid))).toEqual([]);
    const woken = far.count();
    await live(tenantId);
    await expect.poll(far.count, patience).toBeGreaterThan(woken);
    far.stop();
  });

  test('misses nothing of two hundred changes over two replicas, though their connection is cut', async () => {
    const tenantId = newTenant();
    const reader = storeOf(1).events;
    const told: ActionEvent[] = [];
    let wake: () => void = () => undefined;
    const stop = reader.listen(tenantId, () => wake());
    const following = (async () => {
      while (told.length < 201) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 2_000);
        });
        const page = await reader.read({ tenantId, after: told.at(-1)?.position ?? null, limit: 20 });
        told.push(...page);
        if (page.length === 0) await woken;
      }
    })();
    await Promise.all(
      Array.from({ length: 67 }, async (_, index) => {
        await live(tenantId, storeOf(index).actions);
        if (index % 20 === 10)
          await database.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [await connections()]);
      }),
    );
    await following;
    stop();
    const versions = Map.groupBy(told, ({ actionId }) => actionId);
    expect(versions.size).toBe(67);
    for (const of of versions.values()) expect(of.map(({ version }) => version)).toEqual([1, 2, 3]);
  });
});

describe('word of events', () => {
  let outside: pg.Client;
  let payloads: string[];

  beforeAll(async () => {
    outside = new pg.Client(database.url);
    await outside.connect();
    outside.on('notification', ({ payload }) => payloads.push(payload ?? ''));
  });
  afterAll(() => outside.end());

  test('goes out in batches, and names every tenant', async () => {
    payloads = [];
    await outside.query('listen tether_events');
    const names = Array.from({ length: 250 }, (_, index) => `batch-${index}`);
    const began = performance.now();
    await Promise.all(names.map((tenantId) => staged(store, { tenantId })));
    await expect
      .poll(() => new Set(payloads.flatMap((payload) => payload.split(','))), patience)
      .toSatisfy((heard: Set<string>) => names.every((name) => heard.has(name)));
    const most = Math.ceil((performance.now() - began) / 25) + Math.ceil(names.length / 100);
    expect(payloads.length).toBeLessThanOrEqual(most);
    await outside.query('unlisten tether_events');
  });

  test('goes out before the store closes', async () => {
    payloads = [];
    await outside.query('listen tether_events');
    const own = await openStore({ url: database.appUrl, poolSize: 2 });
    const tenantId = newTenant();
    await staged(own.actions, { tenantId });
    await own.close();
    await expect.poll(() => payloads, patience).toContain(tenantId);
    await outside.query('unlisten tether_events');
  });

  test('is given for whatever adds to the trail, and for nothing else', async () => {
    const recorded = createRecorded(database.url);
    const { told } = recorded;
    const tenantId = newTenant();
    const toldBy = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
      told.length = 0;
      const result = await work;
      expect(told.every((each) => each === tenantId)).toBe(true);
      return [result, told.length];
    };
    try {
      const asked = proposal({ tenantId });
      const [old, inserted] = await toldBy(staged(recorded.store, asked));
      const [, held] = await toldBy(recorded.store.insert({ ...asked, id: newId() }));
      const [, met] = await toldBy(recorded.store.meet({ ...asked, id: newId() }));
      const replacement = proposal({ tenantId });
      const [, amended] = await toldBy(recorded.store.amend(old, replacement));
      const [, lost] = await toldBy(recorded.store.amend(old, proposal({ tenantId })));
      const pending = await recorded.store.find(tenantId, replacement.id);
      if (pending === undefined) throw new Error('not found');
      const [executing, claims] = await toldBy(claimed(recorded.store, pending.action));
      const [, late] = await toldBy(recorded.store.claim(claimOf(pending.action)));
      const [, settled] = await toldBy(applied(recorded.store, succeeded(executing)));
      const [, again] = await toldBy(recorded.store.apply(succeeded(executing)));
      expect({ inserted, amended, claims, settled }).toEqual({ inserted: 1, amended: 1, claims: 1, settled: 1 });
      expect({ held, met, lost, late, again }).toEqual({ held: 0, met: 0, lost: 0, late: 0, again: 0 });
    } finally {
      await recorded.pool.end();
    }
  });
});

test('while the database is away who listens in this process is told all the same, and the log why others are not', async () => {
  const pool = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
  const here: string[] = [];
  const warnings: string[] = [];
  const announcer = createAnnouncer(createDatabaseOver(pool), (tenantIds) => void here.push(...tenantIds), {
    warn: (_, message) => void warnings.push(message),
  });
  for (const tenantId of ['a', 'b', 'a']) announcer.announce(tenantId);
  await expect.poll(() => warnings).toHaveLength(1);
  announcer.announce('c');
  await announcer.close();
  expect(here).toEqual(['a', 'b', 'c']);
  expect(warnings).toHaveLength(2);
  await pool.end();
});
