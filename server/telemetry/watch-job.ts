import type { JobMetrics } from './metrics/job-metrics.ts';
import type { Scopes } from './scopes.ts';
import type { Tracer } from './traces/trace.ts';

export interface WatchJobOptions {
  readonly scopes: Scopes;
  readonly tracer: Tracer;
  readonly metrics: JobMetrics;
}

/** Runs one sweep as a scope of its own, and tells how it ended. */
export async function watchJob(
  job: string,
  sweep: () => Promise<number>,
  { scopes, tracer, metrics }: WatchJobOptions,
): Promise<number> {
  const began = performance.now();
  const traced = tracer.job(`job ${job}`, () => ({ 'tether.job': job }));
  let changed: number | undefined;
  try {
    changed = await scopes.within({ fields: { job }, traced }, sweep);
    return changed;
  } finally {
    metrics.ended(job, changed, (performance.now() - began) / 1000);
    traced.ended(changed === undefined ? 'failed' : 'done', changed === undefined);
  }
}
