import type { JobMetrics } from './metrics/job-metrics.ts';

/** Runs one sweep, and tells how it ended. */
export async function watchJob(job: string, sweep: () => Promise<number>, metrics: JobMetrics): Promise<number> {
  const began = performance.now();
  let changed: number | undefined;
  try {
    changed = await sweep();
    return changed;
  } finally {
    metrics.ended(job, changed, (performance.now() - began) / 1000);
  }
}
