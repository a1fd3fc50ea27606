import type { Meter } from '@opentelemetry/api';

export interface JobMetrics {
  /** `changed`: undefined for one that failed. */
  ended(job: string, changed: number | undefined, seconds: number): void;
}

/** What runs by the clock on this server. */
export function jobMetrics(meter: Meter): JobMetrics {
  const duration = meter.createHistogram('tether_job_duration_seconds', {
    description: 'Sweeps that this server made, and how long they took.',
    advice: { explicitBucketBoundaries: [0.01, 0.1, 1, 10, 60] },
  });
  const changes = meter.createCounter('tether_job_changes_total', { description: 'How much those sweeps did.' });
  return {
    ended(job, changed, seconds) {
      duration.record(seconds, { job, outcome: changed === undefined ? 'failed' : 'done' });
      if (changed !== undefined && changed > 0) changes.add(changed, { job });
    },
  };
}
