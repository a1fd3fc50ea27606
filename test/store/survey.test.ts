import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installQueue } from '../../server/jobs/install-queue.ts';
import { createDatabase as createSession } from '../../server/store/database.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { survey } from '../../server/store/survey.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { claimed, staged } from './proposal.ts';

let database: TestDatabase;
let store: Store;
const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };

beforeAll(async () => {
  database = await createDatabase();
  await installQueue(database.url, silent);
  store = await openStore({ url: database.url, poolSize: 2 });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const nothing = { count: 0, oldestSeconds: 0 };

test('where there is nothing to do, nothing is counted', async () => {
  expect(await store.survey()).toEqual({
    most: 100_000,
    actions: { PENDING: 0, EXECUTING: 0, INDETERMINATE: 0 },
    needingAttention: 0,
    due: { expiry_or_lease: nothing, probe_or_verification: nothing, webhook: nothing, job: nothing },
  });
});

test('what has not ended, needs a person, and is due is counted, with how long the oldest of it has been', async () => {
  const [first, second] = await Promise.all([staged(store.actions), staged(store.actions)]);
  await claimed(store.actions, await staged(store.actions));
  const doubtful = await claimed(store.actions, await staged(store.actions));
  await database.query(
    `update action set state = 'INDETERMINATE', needs_attention = true, sweep_at = null, next_probe_at = now() - interval '30 seconds'
      where id = $1`,
    [doubtful.id],
  );
  await database.query(`update action set sweep_at = now() - interval '90 seconds' where id = $1`, [first.id]);
  await database.query(`update action set sweep_at = now() - interval '20 seconds' where id = $1`, [second.id]);
  await database.query(
    `insert into webhook_delivery (id, tenant_id, webhook, topic, action_id, version, body, state, attempts, next_at, fault)
      select gen_random_uuid(), 'acme', 'told', 'pending', $1::uuid, n, '{}', 'DUE', 0,
        case n when 1 then now() - interval '10 seconds' when 2 then now() + interval '1 hour' end, '' from generate_series(1, 3) n`,
    [first.id],
  );
  await database.query(`select graphile_worker.add_job('nobody', run_at => now() - interval '5 seconds')`);
  const found = await store.survey();
  expect(found.actions).toEqual({ PENDING: 2, EXECUTING: 1, INDETERMINATE: 1 });
  expect(found.needingAttention).toBe(1);
  expect(Object.fromEntries(Object.entries(found.due).map(([kind, { count }]) => [kind, count]))).toEqual({
    expiry_or_lease: 2,
    probe_or_verification: 1,
    webhook: 1,
    job: 1,
  });
  for (const [kind, least] of [
    ['expiry_or_lease', 90],
    ['probe_or_verification', 30],
    ['webhook', 10],
    ['job', 5],
  ] as const) {
    expect(found.due[kind].oldestSeconds).toBeGreaterThanOrEqual(least);
    expect(found.due[kind].oldestSeconds).toBeLessThan(least + 60);
  }
});

/** Every read of a table in a plan. */
type Node = Readonly<Record<string, unknown>>;

function scansOf(plan: Node): string[] {
  const own = plan['Relation Name'] === undefined ? [] : [`${plan['Node Type']} ${plan['Relation Name']}`];
  const below = Array.isArray(plan.Plans) ? plan.Plans.flatMap(scansOf) : [];
  return [...own, ...below];
}

test('what has ended long ago is not read for it, with and without statistics', async () => {
  await database.query(
    `insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk, endpoint,
      proposed_by_credential, proposed_by_user, intent_hash, state, effect, version, created_at, expires_at, settled_at)
    select gen_random_uuid(), 'acme', '', 'u', 't', '{}', '', '', '""', 'normal', 'pos', 'c', 'u', sha256(n::text::bytea), 'SUCCEEDED',
      'APPLIED', 3, now(), now(), now() from generate_series(1, 50000) n`,
  );
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  const asked: [text: string, values: readonly unknown[]][] = [];
  const plain = createSession(pool);
  await survey({
    transaction: (work) =>
      plain.transaction((run) =>
        work((statement, values) => {
          asked.push([statement.text, values]);
          return run(statement, values);
        }),
      ),
  });
  for (const before of ['select', 'analyze']) {
    await database.query(before);
    const rows = await plain.transaction(async (run) => {
      const [setting, [text, values] = ['', []]] = asked;
      await run({ text: setting?.[0] ?? '', writes: false }, []);
      return run<{ 'QUERY PLAN': [{ Plan: Node }] }>({ text: `explain (format json) ${text}`, writes: false }, values);
    });
    const scans = scansOf(rows[0]?.['QUERY PLAN'][0].Plan ?? {}).filter((scan) => scan.endsWith(' action'));
    expect(scans).toHaveLength(3);
    expect(scans).not.toContain('Seq Scan action');
  }
  await pool.end();
});
