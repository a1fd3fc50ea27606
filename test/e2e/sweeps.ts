/** The sweeps of all replicas on one database, told when to run. */
import { setImmediate } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.ts';

type Sweep = 'probe_doubts' | 'verify_successes';

/** From now on no replica runs it before it is told to; resolves when none is running it. */
export async function holdSweep({ query }: TestDatabase, sweep: Sweep): Promise<void> {
  for (;;) {
    const held = await query(
      `update graphile_worker._private_jobs set run_at = now() + interval '1 hour'
       where key = $1 and locked_at is null returning id`,
      [sweep],
    );
    const running = await query(
      'select id from graphile_worker.jobs where task_identifier = $1 and locked_at is not null',
      [sweep],
    );
    if (held.length === 1 && running.length === 0) return;
    await setImmediate();
  }
}

/** Runs it now, and from then on again and again. */
export async function letSweep({ query }: TestDatabase, sweep: Sweep): Promise<void> {
  await query(
    `select graphile_worker.add_job($1, run_at => now(), max_attempts => 1, job_key => $1, job_key_mode => 'replace')`,
    [sweep],
  );
}

/** Runs it so many times at once, on whatever replicas there are. */
export async function sweepAtOnce({ query }: TestDatabase, sweep: Sweep, times: number): Promise<void> {
  await query('select graphile_worker.add_job($1, max_attempts => 1) from generate_series(1, $2)', [sweep, times]);
}
