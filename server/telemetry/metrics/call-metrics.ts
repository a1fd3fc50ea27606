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
  const underWay = new Map<CallFacts['door'], number>();
  // Looked at when somebody asks, so that a call pays for one metric and not for three.
  meter
    .createObservableUpDownCounter('tether_rpcs_in_flight', { description: 'Calls that are answered just now.' })
    .addCallback((result) => {
      for (const [door, calls] of underWay) result.observe(calls, { door });
    });
  const duration = meter.createHistogram('tether_rpc_duration_seconds', {
    description: 'Calls that have ended, and how long they took.',
    advice: { explicitBucketBoundaries: secondsBuckets },
  });
  const errors = meter.createCounter('tether_rpc_errors_total', {
    description: 'Calls that were refused or failed, by the code that their error says.',
  });
  const count = (door: CallFacts['door'], by: number) => underWay.set(door, (underWay.get(door) ?? 0) + by);
  return {
    begun: ({ door }) => count(door, 1),
    ended({ facts: { rpc, door }, status, error, seconds }) {
      count(door, -1);
      duration.record(seconds, { rpc, door, code: status });
      if (error !== undefined) errors.add(1, { rpc, error });
    },
  };
}
