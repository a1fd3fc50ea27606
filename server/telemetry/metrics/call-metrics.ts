import type { Meter } from '@opentelemetry/api';
import type { CallFacts } from '../../lifecycle/ports/telemetry.ts';
import type { CallEnd } from '../watch-call.ts';
import { secondsBuckets } from './meters.ts';

export interface CallMetrics {
  begun(facts: CallFacts): void;
  ended(end: CallEnd): void;
}

/** Calls of the doors. */
export function callMetrics(meter: Meter): CallMetrics {
  const underWay = meter.createUpDownCounter('tether_rpcs_in_flight', {
    description: 'Calls that are answered just now.',
  });
  const duration = meter.createHistogram('tether_rpc_duration_seconds', {
    description: 'Calls that have ended, and how long they took.',
    advice: { explicitBucketBoundaries: secondsBuckets },
  });
  const errors = meter.createCounter('tether_rpc_errors_total', {
    description: 'Calls that were refused or failed, by the code that their error says.',
  });
  return {
    begun: ({ door }) => underWay.add(1, { door }),
    ended({ facts: { rpc, door }, status, error, seconds }) {
      underWay.add(-1, { door });
      duration.record(seconds, { rpc, door, code: status });
      if (error !== undefined) errors.add(1, { rpc, error });
    },
  };
}
