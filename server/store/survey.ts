import { openStates, type Survey, type WorkKind, workKinds } from '../lifecycle/ports/survey.ts';
import type { Statement, Transactions } from './database.ts';

const byIndexes: Statement = { writes: false, text: 'set local enable_seqscan = off' };

/** Where counting ends. */
const most = 100_000;

/**
 * Over all tenants, like the sweepers' statements, and by the partial indexes that these have. Each part ends at a limit, and none
 * reads the whole table: without statistics the planner takes what is marked for half of it, so it is told not to.
 */
const statement: Statement = {
  writes: false,
  text: `with open as materialized (
      select state, sweep_at as at from action where sweep_at is not null order by sweep_at limit $1
    ), attention as materialized (
      select state from action where needs_attention order by tenant_id, id limit $1
    ), asking as materialized (
      select least(next_probe_at, verify_at) as at from action where least(next_probe_at, verify_at) is not null
      order by least(next_probe_at, verify_at) limit $1
    ), telling as materialized (
      select next_at as at from webhook_delivery where next_at is not null order by next_at limit $1
    ), waiting (kind, at) as (
      select 'expiry_or_lease', at from open
      union all select 'probe_or_verification', at from asking
      union all select 'webhook', at from telling
      union all select 'job', run_at from graphile_worker._private_jobs where locked_at is null and attempts < max_attempts
    ), counted (what, count, oldest) as (
      select state::text, count(*), null::numeric from open group by state
      union all select 'INDETERMINATE', count(*), null from attention where state = 'INDETERMINATE'
      union all select 'attention', count(*), null from attention
      union all select kind, count(*), extract(epoch from now() - min(at)) from waiting where at <= now() group by kind
    )
    select what, count::int, coalesce(oldest, 0)::float8 as oldest from counted`,
};

interface Row {
  readonly what: string;
  readonly count: number;
  readonly oldest: number;
}

/** Rejects with StoreUnavailable when the database is away. */
export async function survey(database: Transactions): Promise<Survey> {
  const found = await database.transaction(async (run) => {
    await run(byIndexes, []);
    return await run<Row>(statement, [most]);
  });
  const rows = new Map(found.map((row) => [row.what, row]));
  const count = (what: string) => rows.get(what)?.count ?? 0;
  const due = (kind: WorkKind) => ({ count: count(kind), oldestSeconds: rows.get(kind)?.oldest ?? 0 });
  return {
    most,
    actions: recordOf(openStates, count),
    needingAttention: count('attention'),
    due: recordOf(workKinds, due),
  };
}

function recordOf<const K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  // Every key is there once.
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
