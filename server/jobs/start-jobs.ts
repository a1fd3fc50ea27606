/**
 * Sweeps: idempotent tasks that run again and again, shared by any number of replicas on one database.
 *
 * Each task is a chain of one job: it runs, and when done adds itself again, due a few seconds later. The chain's key keeps
 * it single however many replicas add it. What can break it is a replica killed while it runs the job: graphile-worker
 * gives such a job to nobody for four hours. So every replica mends the chains when it starts, and a cron job does once a
 * minute; adding a key whose job is locked takes the key from that job and adds a new one, so the dead one holds nothing up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Runner } from 'graphile-worker';
import type { JobsOptions } from './jobs-options.ts';
import { runWorker } from './run-worker.ts';

/** Running sweeps. */
export interface Jobs {
  /** Starts no more sweeps and waits for those that run, no longer than `stopMs` and no longer than `withinMs`. */
  stop(withinMs?: number): Promise<void>;
}

const restartMs = 1_000;

/**
 * Starts sweeping. The queue's own tables must be there: see {@link installQueue}.
 *
 * @throws when the database cannot be used at the start; once started, it may go away and come back.
 */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const { logger, stopMs = 10_000 } = options;
  const stopping = new AbortController();
  let runner: Runner | undefined = await runWorker(options, stopping.signal);

  const keepRunning = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        runner ??= await runWorker(options, stopping.signal);
        // It may have been starting while `stop` was called.
        if (stopping.signal.aborted) await runner.stop();
        await runner.promise;
      } catch (error) {
        logger.warn({ err: error }, 'the job runner stopped');
      }
      runner = undefined;
      await delay(restartMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const kept = keepRunning();

  const drain = async (): Promise<void> => {
    // Refused when the runner is on its way out already; then there is nothing to wait for but its promise.
    await runner?.stop().catch((error: unknown) => logger.debug({ err: error }, 'the job runner stopped by itself'));
    await kept;
  };
  let stopped: Promise<void> | undefined;
  const stop = async (patienceMs: number): Promise<void> => {
    stopping.abort();
    const waited = new AbortController();
    const drained = drain().finally(() => waited.abort());
    const late = delay(patienceMs, 'late' as const, { signal: waited.signal }).catch(() => 'in time' as const);
    if ((await Promise.race([drained, late])) === 'late') {
      logger.warn(
        { patience_ms: patienceMs },
        'a sweep did not end in time; another replica takes over within a minute',
      );
      void runner?.kill().catch((error: unknown) => logger.debug({ err: error }, 'the job runner was killed'));
    }
  };
  return {
    stop: (withinMs = stopMs) => {
      stopped ??= stop(Math.min(stopMs, withinMs));
      return stopped;
    },
  };
}
