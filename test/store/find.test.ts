import { expect, test, vi } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { applied, claimed, newId, proposal, rejected, staged, succeeded } from './proposal.ts';
import { createRecorded, recordedOfThisFile } from './recorder.ts';

const { database, recorded } = await recordedOfThisFile();

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
  const alone = await staged(store);
  recorded.ran.length = 0;
  expect((await store.find('acme', alone.id))?.action).toEqual(alone);
  expect(statements()).toEqual(['action_by_id']);
});

/** Until the database's clock, in the milliseconds that an action is told with, shows more. */
async function later(than: Date | undefined): Promise<void> {
  await vi.waitUntil(async () => Number((await database.query('select now()'))[0]?.now) > Number(than), {
    interval: 1,
  });
}

test('what was read before is given out again while its rows are the same, at the time of the new read', async () => {
  const { store } = recorded;
  const { id } = await staged(store);
  const first = await store.find('acme', id);
  await later(first?.at);
  recorded.ran.length = 0;
  const again = await store.find('acme', id);
  expect(again?.action).toBe(first?.action);
  expect(Number(again?.at)).toBeGreaterThan(Number(first?.at));
  await later(again?.at);
  const [one, other] = await Promise.all([store.find('acme', id), store.find('acme', newId())]);
  expect(one?.action).toBe(first?.action);
  expect(Number(one?.at)).toBeGreaterThan(Number(again?.at));
  expect(other).toBeUndefined();
  expect(statements()).toEqual(['action_mark', 'action_mark', 'action_by_id']);
  recorded.ran.length = 0;
  await later(one?.at);
  for (const each of await Promise.all([store.find('acme', id), store.find('acme', id)]))
    expect(Number(each?.at)).toBeGreaterThan(Number(one?.at));
  expect(statements()).toEqual(['action_marks']);
});

test('one id in two tenants is two actions, also when they were written together', async () => {
  const { store } = recorded;
  const { id } = await staged(store);
  await database.query(
    `with mine as (update action set version = version where id = $1 returning *)
     insert into action select (jsonb_populate_record(null::action, to_jsonb(mine) || '{"tenant_id":"other","scope":"theirs"}')).* from mine`,
    [id],
  );
  for (let n = 0; n < 2; n++)
    for (const [tenantId, scope] of [
      ['acme', 'store-12'],
      ['other', 'theirs'],
    ] as const)
      expect((await store.find(tenantId, id))?.action).toMatchObject({ id, tenantId, scope });
});

test('another tenant finds nothing of what was read for its owner', async () => {
  const { store } = recorded;
  const { id } = await staged(store);
  await store.find('acme', id);
  expect(await store.find('other', id)).toBeUndefined();
  expect((await store.find('acme', id))?.action.id).toBe(id);
});

test.each([
  ['a field of the action', 'update action set needs_attention = not needs_attention, user_id = $2 where id = $1'],
  ['a word of an attempt', 'update attempt set confirmed_by_user = $2 where action_id = $1'],
  ['an attempt', 'update attempt set result = to_json($2::text)::text where action_id = $1'],
  ['an attempt that is gone', 'delete from attempt where action_id = $1 and $2 <> $1::text'],
])('a write is seen that no version tells of: %s', async (_what, sql) => {
  const { store } = recorded;
  const { id } = await applied(store, succeeded(await claimed(store, await staged(store))));
  const before = await store.find('acme', id);
  expect((await store.find('acme', id))?.action).toBe(before?.action);
  await database.query(sql, [id, 'by hand']);
  const after = await store.find('acme', id);
  expect(after?.action).not.toEqual(before?.action);
  expect(after?.action.version).toBe(before?.action.version);
});

test('each step of a life is seen by a store that had read the one before, whoever made it', async () => {
  const elsewhere = createRecorded(database.url);
  try {
    const { store } = recorded;
    const seen = async () => {
      const here = await store.find('acme', id);
      expect(here?.action).toEqual((await elsewhere.store.find('acme', id))?.action);
      return here?.action.state;
    };
    const action = await staged(store);
    const { id } = action;
    expect(await seen()).toBe('PENDING');
    const executing = await claimed(elsewhere.store, action);
    expect(await seen()).toBe('EXECUTING');
    await applied(store, succeeded(executing));
    expect(await seen()).toBe('SUCCEEDED');
    await database.query('delete from action where id = $1', [id]);
    recorded.ran.length = 0;
    for (let n = 0; n < 2; n++) expect(await store.find('acme', id)).toBeUndefined();
    expect(statements()).toEqual(['action_mark', 'action_by_id']);
  } finally {
    await elsewhere.pool.end();
  }
});

test('a mark tells which start of PostgreSQL it is of, since another may name its transactions alike', async () => {
  const { store, pool } = recorded;
  const { id } = await staged(store);
  await store.find('acme', id);
  const mark = recorded.ran.at(-1)?.statement.text ?? '';
  const { rows } = await pool.query(mark, [id, 'acme']);
  const [{ started }] = (await pool.query("select date_part('epoch', pg_postmaster_start_time())::text as started"))
    .rows;
  expect(rows[0].mark).toMatch(new RegExp(`^${started} 1 \\d+ PENDING `));
});

// When PostgreSQL goes on after a crash without what it had not written to the disk, another write may bear the name of a lost one.
test.each([
  ['what was decided', `update action set decided = '{"note":"' || $2 || '"}' where id = $1`],
  [
    'that it was settled',
    "update action set settled_at = timestamptz '2026-01-01' + $2::int * interval '1 s' where id = $1",
  ],
  ['when it is asked about', "update action set next_probe_at = now() + $2::int * interval '1 s' where id = $1"],
  ['how an attempt ended', "update attempt set finished_at = now() + $2::int * interval '1 s' where action_id = $1"],
  ['what an attempt came to', "update attempt set error = repeat('x', $2::int) where action_id = $1"],
])('a mark tells two writes from one another that are named alike: %s', async (_what, sql) => {
  const { store, pool } = recorded;
  const { id } = await claimed(store, await staged(store));
  await store.find('acme', id);
  const mark = recorded.ran.at(-1)?.statement.text ?? '';
  await pool.query('begin');
  try {
    const marks = new Set();
    for (const turn of [1, 2]) {
      await pool.query(sql, [id, turn]);
      marks.add((await pool.query(mark, [id, 'acme'])).rows[0].mark);
    }
    const names = await pool.query(
      'select a.xmin as action, t.xmin as attempt from action a join attempt t on t.action_id = a.id where a.id = $1',
      [id],
    );
    const { rows } = await pool.query('select pg_current_xact_id()::xid as now');
    expect(Object.values(names.rows[0])).toContain(rows[0].now);
    expect(marks.size).toBe(2);
  } finally {
    await pool.query('rollback');
  }
});

const withTexts: Readonly<Record<string, (store: ActionStore, text: string) => Promise<Action>>> = {
  arguments: (store, text) => staged(store, { arguments: JSON.stringify({ id: newId(), text }) }),
  'a summary': (store, text) => staged(store, { summary: text }),
  'what a precondition saw': (store, text) => staged(store, { precondition: JSON.stringify(text) }),
  'a result': async (store, text) => {
    const action = await claimed(store, await staged(store));
    await applied(store, succeeded(action, JSON.stringify(text)));
    return action;
  },
  "a vendor's reasons": async (store, text) => {
    const action = await claimed(store, await staged(store));
    const receivedJson = JSON.stringify(text);
    const error = { code: 'REFUSED', message: 'No.', receivedJson, effect: 'NONE', retryable: false } as const;
    const attempt = { number: 1, outcome: 'REFUSED', effect: 'NONE', error, result: null } as const;
    await applied(store, { ...succeeded(action), state: 'REFUSED', effect: 'NONE', attempts: [attempt] });
    return action;
  },
  'what was decided': async (store, text) => {
    const action = await staged(store);
    await applied(store, rejected(action, text));
    return action;
  },
};

test.each(Object.entries(withTexts))(
  'what is remembered is bounded: many large actions are read whole again, one too large always; large by %s',
  async (_what, make) => {
    const { store } = recorded;
    const large = async (length: number) => {
      const { id } = await make(store, 'x'.repeat(length));
      await store.find('acme', id);
      return id;
    };
    const first = await large(200_000);
    for (let n = 0; n < 40; n++) await large(200_000);
    const [last, beyond] = [await large(200_000), await large(1_100_000)];
    recorded.ran.length = 0;
    for (const id of [last, first, beyond]) expect((await store.find('acme', id))?.action.id).toBe(id);
    expect(statements()).toEqual(['action_mark', 'action_by_id', 'action_by_id']);
  },
);

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
