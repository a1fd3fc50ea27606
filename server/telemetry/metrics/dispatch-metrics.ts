import type { Meter } from '@opentelemetry/api';
import type { OutgoingFacts } from '../../lifecycle/ports/telemetry.ts';
import { secondsBuckets } from './meters.ts';

export interface DispatchMetrics {
  ended(facts: OutgoingFacts, outcome: string, seconds: number): void;
}

/** Calls of endpoints, attempt by attempt. */
export function dispatchMetrics(meter: Meter): DispatchMetrics {
  const duration = meter.createHistogram('tether_dispatch_duration_seconds', {
    description: 'Calls of endpoints that have ended, and how long they took.',
    advice: { explicitBucketBoundaries: secondsBuckets },
  });
  return {
    ended: ({ endpoint, mode }, outcome, seconds) => duration.record(seconds, { endpoint, mode, outcome }),
  };
}
