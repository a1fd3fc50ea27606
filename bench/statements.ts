/** What a lifecycle asks of PostgreSQL, as PostgreSQL itself counts it. */
import { startContender } from './contender.ts';
import type { DatabaseServer } from './database.ts';
import type { Place } from './place.ts';

/** Per lifecycle; the sweeps that run beside are in it, so the figures are a little above whole numbers. */
export interface Footprint {
  readonly confirmKey: boolean;
  readonly lifecycles: number;
  readonly statements: number;
  /** Transactions that wrote: they were given a transaction id, and waited for the disk. */
  readonly writingCommits: number;
  readonly allCommits: number;
  readonly walBytes: number;
  /** Each statement that ran at least once in ten lifecycles: its first words, and how often per lifecycle. */
  readonly breakdown: readonly { readonly text: string; readonly perLifecycle: number }[];
}

const lifecycles = 2_000;

/** Runs lifecycles on a server of their own, whose database counts. */
export async function countStatements(place: Place, { confirmKey }: { confirmKey: boolean }): Promise<Footprint> {
  const name = confirmKey ? 'counted_with_key' : 'counted';
  const { server, surroundings } = await place.serve(name, { trackStatements: true });
  const client = await startContender(import.meta.resolve('./clients/grpc.ts'), {
    ...surroundings,
    BENCH_CONFIRM_KEY: confirmKey ? 'yes' : 'no',
  });
  await place.database.query('select pg_stat_statements_reset()');
  const before = await counters(place.database, name);
  await client.ask({ inFlight: 8, until: { lifecycles } });
  const statements = await place.database.query<{ text: string; calls: number }>(
    `select regexp_replace(trim(query), '\\s+', ' ', 'g') as text, sum(calls)::float8 as calls
     from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1 group by 1 order by 2 desc`,
    [name],
  );
  const { xid, wal } = await counters(place.database, name);
  await client.stop();
  // A connection tells its commits late, and at the latest when it ends.
  await server.stop();
  const { commits } = await counters(place.database, name);
  const each = (total: number) => total / lifecycles;
  return {
    confirmKey,
    lifecycles,
    statements: each(statements.reduce((sum, { calls }) => sum + calls, 0)),
    writingCommits: each(xid - before.xid),
    allCommits: each(commits - before.commits),
    walBytes: each(wal - before.wal),
    breakdown: statements
      .filter(({ calls }) => each(calls) >= 0.1)
      .map(({ text, calls }) => ({ text: text.slice(0, 90), perLifecycle: each(calls) })),
  };
}

async function counters(database: DatabaseServer, name: string) {
  const [row] = await database.query<{ xid: number; wal: number; commits: number }>(
    `select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as xid,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
       (select xact_commit::float8 from pg_stat_database where datname = $1) as commits`,
    [name],
  );
  if (row === undefined) throw new Error('PostgreSQL counts nothing');
  return row;
}
