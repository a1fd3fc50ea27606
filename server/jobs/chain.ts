/** The chain of one job that each sweep is. */
import type { WithPgClient } from 'graphile-worker';

/** The cron task that mends the chains. */
export const mendChains = 'mend_chains';

/**
 * Adds the job that goes on with a chain. A job that waits already under the chain's key is kept, with its time when
 * `keepTime`; one that is locked, by a worker that runs it or by one that died, loses the key to the new job.
 *
 * The database's clock says when it is due: a replica whose clock is ahead would push the chain into the future.
 */
export async function addToChain(
  withPgClient: WithPgClient,
  task: string,
  afterSeconds: number,
  keepTime: boolean,
): Promise<void> {
  await withPgClient((client) =>
    client.query(
      `select graphile_worker.add_job(
         $1, run_at => now() + make_interval(secs => $2), max_attempts => 1, job_key => $1, job_key_mode => $3)`,
      [task, afterSeconds, keepTime ? 'preserve_run_at' : 'replace'],
    ),
  );
}

/** Makes sure that every chain has a job that will run, and removes the jobs that never will, left by killed workers. */
export async function mend(withPgClient: WithPgClient, tasks: readonly string[]): Promise<void> {
  for (const task of tasks) await addToChain(withPgClient, task, 0, true);
  // complete_jobs itself leaves alone what is locked by somebody who may be alive.
  await withPgClient((client) =>
    client.query(
      `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
       where task_identifier = any($1) and attempts >= max_attempts`,
      [[...tasks, mendChains]],
    ),
  );
}
