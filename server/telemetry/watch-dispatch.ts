import type { Carried, OutgoingFacts } from '../lifecycle/ports/telemetry.ts';
import type { DispatchMetrics } from './metrics/dispatch-metrics.ts';

/** Makes one call of an endpoint, and tells how it ended. */
export async function watchDispatch<R>(
  facts: OutgoingFacts,
  call: (carried: Carried) => Promise<R>,
  outcomeOf: (answer: R) => string,
  metrics: DispatchMetrics,
): Promise<R> {
  const began = performance.now();
  let outcome = 'broken';
  try {
    const answer = await call({});
    outcome = outcomeOf(answer);
    return answer;
  } finally {
    metrics.ended(facts, outcome, (performance.now() - began) / 1000);
  }
}
