import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../server/store/credentials/authenticate.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, expired, newId, proposal, staged, succeeded } from './proposal.ts';
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

/** Runs every statement of the store once. */
async function runAll({ store, database: recording }: Recorded): Promise<void> {
  const asked = proposal({ requestId: newId() });
  const action = await staged(store, asked);
  await store.find('acme', action.id);
  const executing = await claimed(store, action, { idempotencyKey: newId() });
  await store.findByIdempotencyKey('acme', 'approver-user', 'none');
  await store.insert({ ...asked, id: newId(), requestId: newId() });
  await applied(store, succeeded(executing));
  const second = proposal({ ...asked, id: newId(), requestId: null });
  const pending = await staged(store, second);
  await database.query('update action set expires_at = now(), sweep_at = now() where id = $1', [pending.id]);
  const third = await staged(store, { ...second, id: newId() });
  await store.apply(expired(third));
  await createAuthenticator(recording).authenticate(`tth_acme_${'0'.repeat(48)}`);
  await store.overdue(10);
  await store.orphaned(10);
}

/** Half a busy year in one tenant: settled, pending and executing actions, and what hangs on them. */
async function fill(): Promise<void> {
  await database.query(
    `insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk, endpoint,
      proposed_by_credential, proposed_by_user, intent_hash, state, effect, version, created_at, expires_at, sweep_at)
    select md5('a' || n)::uuid, 'acme', '', 'u_7', 'void_ticket', '{}', 'sha256:', 'plan', '""', 'normal', 'pos', 'c', 'u',
      sha256(n::text::bytea), (array['PENDING', 'EXECUTING', 'SUCCEEDED', 'INDETERMINATE']::action_state[])[n % 4 + 1], 'NONE', 1, now(),
      now() + interval '1 hour', case when n % 4 < 2 then now() + interval '1 hour' end
    from generate_series(1, $1) n`,
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
  const nulls = run.values.map(() => 'null').join(', ');
  const { rows } = await pool.query(`explain (format json) execute ${name}(${nulls})`);
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** The indexes that a single row is found by, and the column that each begins with. */
const keys: Readonly<Record<string, string>> = {
  action_pkey: 'id',
  attempt_pkey: 'action_id',
  attempt_open_unique: 'action_id',
  intent_pkey: 'intent_hash',
  stage_request_pkey: 'request_id',
  confirm_key_pkey: 'idempotency_key',
  credential_key_hash_unique: 'key_hash',
};

async function expectGoodPlans(recorded: Recorded): Promise<void> {
  const names = new Set(recorded.ran.map(({ statement }) => statement.name).filter((name) => name !== undefined));
  expect([...names].sort()).toEqual([
    'action_apply',
    'action_by_id',
    'action_by_idempotency_key',
    'action_by_intent',
    'action_by_request_id',
    'action_claim',
    'action_insert',
    'action_insert_after_overdue',
    'action_insert_after_settled',
    'credential_by_key',
    'stage_request_insert',
  ]);
  for (const name of names) {
    const reads = readsOf(await planOf(recorded, name));
    for (const { how, table, index, condition } of reads) {
      const told = `${name}: ${how} of ${table} by ${index} ${condition}`;
      expect(how, told).toBe('Index Scan');
      expect(keys, told).toHaveProperty(index);
      expect(condition, told).toContain(`(${keys[index]} = `);
    }
    if (/^action_(claim|apply|by_|insert_after)/.test(name))
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

  test('the sweepers read only what is due', async () => {
    const sweeps = sinceEmpty.ran.filter(({ statement }) => statement.name === undefined);
    expect(sweeps).toHaveLength(2);
    for (const { statement, values } of sweeps) {
      const { rows } = await sinceEmpty.pool.query(`explain (format json) ${statement.text}`, [...values]);
      const [scan] = readsOf(rows[0]['QUERY PLAN'][0].Plan).filter(({ table }) => table === 'action');
      expect(scan).toMatchObject({ how: 'Index Scan', index: 'action_sweep_at_index' });
      expect(scan?.condition).toContain('sweep_at <= now()');
    }
  });
});
