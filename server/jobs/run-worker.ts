/** One worker of the job queue, with the sweeps as its tasks. */
import { parseCronItems, type Runner, run, type Task, type TaskList, type WithPgClient } from 'graphile-worker';
import pg from 'pg';
import { untold } from '../lifecycle/ports/telemetry.ts';
import { addToChain, mend, mendChains } from './chain.ts';
import { queueLogger } from './install-queue.ts';
import type { JobsOptions, Sweep } from './jobs-options.ts';
import { createMender } from './mender.ts';

/** A sweep that hangs must not keep the other, or the mending, from running. */
const concurrency = 3;
const pollMs = 2_000;

/**
 * Starts a worker and mends the chains; once the signal fires no sweep begins. It looks for due jobs every 2 s, and has its own
 * connections: one listens.
 *
 * @throws when the database cannot be reached; a worker that runs survives that.
 */
export async function runWorker(options: JobsOptions, stopping: AbortSignal): Promise<Runner> {
  const { logger, everySeconds = 5, paces } = options;
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: concurrency + 1,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-jobs',
  });
  const names = Object.keys(options.tasks);
  const withPgClient: WithPgClient = async (callback) => {
    const client = await pool.connect();
    try {
      return await callback(client);
    } finally {
      client.release();
    }
  };
  const mender = createMender(() => mend(withPgClient, names));
  // Lost connections are replaced; without these listeners the process would end. A job that was on its way to us over one
  // is locked and will never run: the chains are mended as soon as the database is there.
  const lost = (error: Error): void => {
    logger.debug({ err: error }, 'a connection of the job queue was lost');
    mender.mendSoon();
  };
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));

  const taskList: TaskList = { [mendChains]: (_payload, { withPgClient }) => mend(withPgClient, names) };
  for (const [name, sweep] of Object.entries(options.tasks)) {
    const pace = paces?.[name] ?? everySeconds;
    const task = asTask(name, sweep, pace, options);
    // A worker that is told to stop may take one more job: it goes back.
    taskList[name] = (payload, helpers) =>
      stopping.aborted ? addToChain(helpers.withPgClient, name, 0, false) : task(payload, helpers);
  }
  const cron = { task: mendChains, match: '* * * * *', identifier: mendChains, options: { maxAttempts: 1 } };
  try {
    await mend(withPgClient, names);
    const runner = await run({
      pgPool: pool,
      taskList,
      parsedCronItems: parseCronItems([cron]),
      concurrency,
      pollInterval: Math.min(pollMs, everySeconds * 1_000),
      noHandleSignals: true,
      // Without batches a job's completion is not waited for: one that fails would be an unhandled rejection and end the
      // process, and `stop` would cut off the last one. A batch of no delay is both handled and waited for.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: queueLogger(logger),
    });
    // Whoever waits for the runner hears how it ended; the pool goes either way.
    runner.promise
      .catch(() => undefined)
      .finally(() => {
        mender.stop();
        return pool.end().catch(lost);
      });
    return runner;
  } catch (error) {
    mender.stop();
    await pool.end();
    throw error;
  }
}

function asTask(name: string, sweep: Sweep, everySeconds: number, { logger, telemetry = untold }: JobsOptions): Task {
  return async (_payload, { withPgClient }) => {
    try {
      const count = await telemetry.job(name, sweep);
      if (count > 0) logger.info({ job: name, count }, 'swept');
    } catch (error) {
      // The next run tries again; a job that failed would stay in the queue's table.
      logger.error({ job: name, err: error }, 'a sweep failed');
    }
    await addToChain(withPgClient, name, everySeconds, false);
  };
}
