import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionFilter, ListQuery } from '../../server/lifecycle/ports/action-store.ts';
import { createAuthenticator } from '../../server/store/credentials/authenticate.ts';
import { end, read } from '../../server/store/events/read.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, expired, newId, proposal, rejected, staged, succeeded } from './proposal.ts';
import { createRecorded, type Recorded } from './recorder.ts';

/**
 * With no statistics, plans made on an empty table have gone wrong and stayed wrong before (DESIGN §7). So every plan is
 * looked at as the server's connections would have it: generic, made while empty, made when full, without any ANALYZE.
 */
const generic = '-c plan_cache_mode=force_generic_plan';
const rows = 50_000;
const tables = ['action', 'attempt', 'intent', 'stage_request', 'confirm_key', 'event', 'credential'];

let database: TestDatabase;
let sinceEmpty: Recorded;

beforeAll(async () => {
  database = await createDatabase();
  for (const table of tables) await database.query(`alter table ${table} set (autovacuum_enabled = false)`);
  sinceEmpty = createRecorded(database.url, generic);
  await runAll(sinceEmpty);
});
afterAll(async () => {
  await sinceEmpty.pool.end();
  await database.drop();
});

/** Runs every statement of the store once, but for those of lists. */
async function runAll({ store, database: recording }: Recorded): Promise<void> {
  const overdue = (id: string) =>
    database.query('update action set expires_at = now(), sweep_at = now() where id = $1', [id]);
  const asked = proposal({ requestId: newId() });
  const action = await staged(store, asked);
  await Promise.all([store.find('acme', newId()), store.find('acme', newId())]);
  await store.find('acme', action.id);
  await store.find('acme', action.id);
  await Promise.all([store.find('acme', action.id), store.find('acme', action.id)]);
  const executing = await claimed(store, action, { idempotencyKey: newId() });
  await store.findByIdempotencyKey('acme', 'approver-user', 'none');
  await store.insert({ ...asked, id: newId(), requestId: newId() });
  await store.meet({ ...asked, id: newId(), requestId: newId() });
  await applied(store, succeeded(executing));
  const second = proposal({ ...asked, id: newId(), requestId: null });
  const pending = await staged(store, second);
  await overdue(pending.id);
  const third = await staged(store, { ...second, id: newId() });
  await store.apply(expired(third));
  // An amendment to an intent that is free, to one whose action ended, and to one whose action is overdue.
  const ended = await applied(store, rejected(await staged(store)));
  await overdue(ended.id);
  const late = await staged(store);
  await overdue(late.id);
  for (const { arguments: args } of [proposal(), ended, late]) {
    const amended = await store.amend(await staged(store), proposal({ arguments: args }));
    expect(amended.kind).toBe('amended');
  }
  await store.scheduleProbe(third, 60_000);
  await store.takeDueProbes(10, 60_000);
  await store.takeDueVerifications(10, 60_000);
  await read(recording, { tenantId: 'acme', after: await end(recording), limit: 10 });
  await read(recording, { tenantId: 'acme', actionId: action.id, after: null, limit: 10 });
  await createAuthenticator(recording).authenticate(`tth_acme_${'0'.repeat(48)}`);
  await store.overdue(10);
  await store.orphaned(10);
}

/**
 * Half a busy year: half of it one tenant's, the rest of 500 others. Two in five hundred are PENDING or EXECUTING, one in a
 * thousand in doubt, one in fifty belongs to a plan of ten.
 */
async function fill(): Promise<void> {
  await database.query(
    `insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk, endpoint,
      proposed_by_credential, proposed_by_user, intent_hash, state, effect, version, created_at, expires_at, sweep_at,
      settled_at, needs_attention)
    select id, case when n % 2 = 0 then 'acme' else 'tenant-' || n % 1000 end, '', 'u_7', 'void_ticket', '{}', 'sha256:',
      case when n % 50 = 0 then 'plan-' || n / 500 else id::text end, '""', 'normal', 'pos', 'c', 'u',
      sha256(n::text::bytea), state, 'NONE', 1, now(), now() + interval '1 hour',
      case when state in ('PENDING', 'EXECUTING') then now() + interval '1 hour' end,
      case when state = 'SUCCEEDED' then now() end, state = 'INDETERMINATE'
    from (select n, md5('a' || n)::uuid as id, (case when n % 500 = 0 then 'PENDING' when n % 500 = 1 then 'EXECUTING'
      when n % 1000 = 2 then 'INDETERMINATE' else 'SUCCEEDED' end)::action_state as state from generate_series(1, $1) n) n`,
    [rows],
  );
  await database.query(`insert into attempt (action_id, number, tenant_id, outcome, effect, started_at, deadline_at,
      lease_until, finished_at, confirmed_by_credential, confirmed_by_user)
    select id, 1, tenant_id, 'OPEN', 'UNKNOWN', now(), now(), now(), case when state <> 'EXECUTING' then now() end, 'c', 'u'
    from action where arguments = '{}'`);
  await database.query(
    `insert into credential (id, tenant_id, role, user_id, key_hash, prefix)
      select md5('c' || n)::uuid, 'acme', 'agent', 'u', sha256(n::text::bytea), 'tth_acme_' from generate_series(1, $1) n`,
    [rows],
  );
  await database.query(`insert into intent select intent_hash, tenant_id, id from action where arguments = '{}'`);
  await database.query(
    `insert into stage_request select id::text, 'c', tenant_id, id from action where arguments = '{}'`,
  );
  await database.query(
    `insert into confirm_key select id::text, 'u', tenant_id, id from action where arguments = '{}'`,
  );
  await database.query(`insert into event (action_id, version, tenant_id, type, to_state, effect, preview_digest, at)
    select id, 1, tenant_id, 'STAGED', 'PENDING', 'NONE', '', now() from action where arguments = '{}'`);
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

interface Read {
  readonly how: string;
  readonly table: string;
  readonly index: string;
  readonly condition: string;
}

function readsOf(plan: Node): Read[] {
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    .map((node) => ({
      how: node['Node Type'],
      table: node['Relation Name'] ?? '',
      index: node['Index Name'] ?? '',
      condition: node['Index Cond'] ?? '',
    }));
}

/** The plan that this connection really uses for a prepared statement. */
async function planOf({ pool, ran }: Recorded, name: string): Promise<Node> {
  const run = ran.find(({ statement }) => statement.name === name);
  if (run === undefined) throw new Error(`${name} was not run`);
  const nulls = run.values.length > 0 ? `(${run.values.map(() => 'null').join(', ')})` : '';
  const { rows } = await pool.query(`explain (format json) execute ${name}${nulls}`);
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** The indexes that a single row is found by, and the most selective column of each. */
const keys: Readonly<Record<string, string>> = {
  action_pkey: 'id',
  stop_pkey: 'name',
  attempt_pkey: 'action_id',
  attempt_open_unique: 'action_id',
  intent_pkey: 'intent_hash',
  stage_request_pkey: 'request_id',
  confirm_key_pkey: 'idempotency_key',
  credential_key_hash_unique: 'key_hash',
  credential_previous_key_unique: 'previous_key_hash',
  event_trail_index: 'tenant_id',
  event_pkey: 'action_id',
};

async function expectGoodPlans(recorded: Recorded): Promise<void> {
  const names = new Set(recorded.ran.map(({ statement }) => statement.name).filter((name) => name !== undefined));
  expect([...names].sort()).toEqual([
    'action_amend',
    'action_amend_after_overdue',
    'action_amend_after_settled',
    'action_apply',
    'action_apply_whole',
    'action_by_id',
    'action_by_idempotency_key',
    'action_by_ids',
    'action_by_intent',
    'action_by_request_id',
    'action_claim',
    'action_insert',
    'action_insert_after_overdue',
    'action_insert_after_settled',
    'action_mark',
    'action_marks',
    'action_now',
    'action_schedule_probe',
    'credential_by_key',
    'event_end',
    'event_read',
    'event_read_action',
    'stage_request_insert',
  ]);
  for (const name of names) {
    const reads = readsOf(await planOf(recorded, name));
    for (const { how, table, index, condition } of reads) {
      // There are never many stops, so it is as well to read them all.
      if (table === 'stop' && how === 'Seq Scan') continue;
      const told = `${name}: ${how} of ${table} by ${index} ${condition}`;
      expect(how, told).toMatch(/^Index (Only )?Scan$/);
      expect(keys, told).toHaveProperty(index);
      expect(condition, told).toContain(`(${keys[index]} = `);
      if (index === 'action_pkey') expect(condition, told).toContain('(tenant_id = ');
    }
    if (/^action_(claim|apply|amend|schedule|by_|now|mark|insert_after)/.test(name))
      expect(
        reads.map(({ index }) => index),
        name,
      ).toContain('action_pkey');
  }
}

describe('every statement for a single action goes by a key that begins with it', () => {
  test('planned on empty tables', () => expectGoodPlans(sinceEmpty));

  test(`planned on empty tables and kept while ${rows} rows came, planned then, and planned with statistics`, async () => {
    await fill();
    await expectGoodPlans(sinceEmpty);
    const full = createRecorded(database.url, generic);
    try {
      await runAll(full);
      await expectGoodPlans(full);
    } finally {
      await full.pool.end();
    }
    await database.query('analyze');
    const analysed = createRecorded(database.url, generic);
    try {
      await runAll(analysed);
      await expectGoodPlans(analysed);
    } finally {
      await analysed.pool.end();
    }
  });

  test('the sweepers and the jobs read only what is due', async () => {
    const sweeps = sinceEmpty.ran.filter(({ statement }) => statement.name === undefined);
    const due = ['LEAST(next_probe_at, verify_at)', 'LEAST(next_probe_at, verify_at)', 'sweep_at', 'sweep_at'];
    expect(sweeps).toHaveLength(due.length);
    for (const [index, { statement, values }] of sweeps.entries()) {
      const { rows } = await sinceEmpty.pool.query(`explain (format json) ${statement.text}`, [...values]);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      const scan = nodes.find((node) => node['Index Cond']?.includes(`(${due[index]} <= now())`));
      expect(scan?.['Index Name']).toBe(index < 2 ? 'action_due_index' : 'action_sweep_at_index');
    }
  });
});

describe('a page of a list is read without the rest of the history', () => {
  const usual = 50;
  /** How many rows may be read; while nothing is known of the tables yet, a tenant's own may be sorted. */
  const cases: [string, ActionFilter, Partial<ListQuery>, number, number?][] = [
    ['of everything', {}, {}, usual + 1],
    ['of a small tenant', {}, { tenantId: 'tenant-7' }, usual + 1],
    ['after another one', {}, { after: newId() }, usual + 1, rows],
    ['of what needs attention', { needsAttention: true }, {}, usual + 1],
    ['of what needs attention of a tenant without any', { needsAttention: true }, { tenantId: 'tenant-7' }, 0],
    ['of a plan of ten', { planId: 'plan-3' }, {}, 20],
    ['of a plan that was made for one action', { planId: newId() }, {}, 1],
    // The few that are under way, of all tenants.
    ['of what is PENDING', { states: ['PENDING'] }, {}, rows / 200, rows],
  ];

  async function expectFewRows(filter: ActionFilter, change: Partial<ListQuery>, most: number): Promise<void> {
    const { store, ran, pool } = sinceEmpty;
    ran.length = 0;
    await store.list({
      tenantId: 'acme',
      filter,
      scopes: null,
      proposedByCredential: null,
      limit: usual,
      after: null,
      ...change,
    });
    const [run] = ran;
    if (run === undefined) throw new Error('nothing was run');
    const { rows } = await pool.query(`explain (analyze, format json) ${run.statement.text}`, [...run.values]);
    const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'action');
    for (const scan of scans) {
      const told = JSON.stringify(scan);
      const read = (scan['Actual Rows'] ?? 0) + (scan['Rows Removed by Filter'] ?? 0);
      expect(read * (scan['Actual Loops'] ?? 1), told).toBeLessThanOrEqual(most);
      expect(scan['Node Type'], told).not.toBe('Seq Scan');
    }
  }

  describe.each(['without statistics', 'with statistics'])('%s', (statistics) => {
    beforeAll(async () => {
      if (statistics === 'with statistics') await database.query('analyze');
      else await forgetStatistics();
    });
    test.each(cases)('%s', (_, filter, change, most, unknown) =>
      expectFewRows(filter, change, statistics === 'with statistics' ? most : (unknown ?? most)),
    );
  });
});

/** As on the day after a fresh install: nobody has looked at the tables yet. */
async function forgetStatistics(): Promise<void> {
  await database.query('delete from pg_statistic');
  await database.query(`update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relname = any($1)`, [
    tables,
  ]);
}
