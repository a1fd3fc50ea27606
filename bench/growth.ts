/**
 * From an empty table to a million actions under a running server: its prepared statements keep the plans that they were
 * given when there was nothing, no ANALYZE is run by hand, and autovacuum, which would run one, is off.
 */
import { type Contender, startContender } from './contender.ts';
import type { DatabaseServer } from './database.ts';
import { insertSettled } from './insert-settled.ts';
import type { Load, Measured } from './load.ts';
import type { Place } from './place.ts';
import { childrenOf, watchCpu } from './process-facts.ts';

export interface Grown {
  /** Actions in the table, each settled, with its attempt, its intent and its three events. */
  readonly actions: number;
  readonly lifecycles: Cost;
  readonly gets: Cost;
}

/** With one in flight. */
export interface Cost extends Measured {
  /** Processor time of PostgreSQL for each, microseconds; NaN where that cannot be known. */
  readonly postgresqlCpu: number;
  /** Pages of 8 KiB that PostgreSQL looked at for each: some dozens, or thousands when a plan has gone wrong. */
  readonly pages: number;
  /** Bytes of WAL for each. More rows mean more pages that are touched for the first time since a checkpoint. */
  readonly walBytes: number;
}

/** What PostgreSQL is started with. */
export const growthSettings = { autovacuum: 'off' };

const sizes = [0, 100_000, 1_000_000];
const database = 'growth';
const turn: Load = { inFlight: 1, until: { ms: 6_000 } };

export async function grow(place: Place, progress: (text: string) => void): Promise<readonly Grown[]> {
  const { surroundings } = await place.serve(database);
  const client = place.own(await startContender(import.meta.resolve('./clients/grpc.ts'), surroundings));
  const reader = place.own(await startContender(import.meta.resolve('./clients/grpc-get.ts'), surroundings));
  // PostgreSQL settles for a plan at the sixth run of a statement on a connection, and each of ten must come to that.
  const warmUp: Load = { inFlight: 32, until: { lifecycles: 400 } };
  await client.ask(warmUp);
  await reader.ask(warmUp);
  const grown: Grown[] = [];
  let actions = 0;
  for (const size of sizes) {
    await insertSettled(surroundings.BENCH_DATABASE_URL, size - actions);
    actions = size;
    // Writing down what was just inserted is no part of what follows.
    await place.database.query('checkpoint');
    progress(`${size} actions inserted`);
    await client.ask(warmUp);
    grown.push({ actions, lifecycles: await costOf(place, client), gets: await costOf(place, reader) });
  }
  return grown;
}

async function costOf(place: Place, contender: Contender): Promise<Cost> {
  const cpu = watchCpu(place.postmasterPid === undefined ? [] : childrenOf(place.postmasterPid));
  const before = await counters(place.database);
  const measured = await contender.ask(turn);
  const after = await counters(place.database);
  const each = (total: number) => total / measured.lifecycles;
  return {
    ...measured,
    postgresqlCpu: each(cpu()) * 1e6,
    pages: each(after.pages - before.pages),
    walBytes: each(after.wal - before.wal),
  };
}

async function counters({ query }: DatabaseServer): Promise<{ pages: number; wal: number }> {
  const [row] = await query<{ pages: number; wal: number }>(
    `select (blks_hit + blks_read)::float8 as pages, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
     from pg_stat_database where datname = $1`,
    [database],
  );
  if (row === undefined) throw new Error('PostgreSQL counts nothing');
  return row;
}
