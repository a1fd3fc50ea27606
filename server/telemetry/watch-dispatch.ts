import type { Carried, OutgoingFacts } from '../lifecycle/ports/telemetry.ts';
import type { DispatchMetrics } from './metrics/dispatch-metrics.ts';
import type { Attributes, Traced } from './traces/trace.ts';

/** Outcomes that are nobody's decision. */
const failures = new Set(['failed', 'no-answer', 'unavailable', 'broken']);

/** Makes one call of an endpoint as part of what is going on, and tells how it ended. */
export async function watchDispatch<R>(
  facts: OutgoingFacts,
  call: (carried: Carried) => Promise<R>,
  outcomeOf: (answer: R) => string,
  { within, metrics }: { readonly within: Traced; readonly metrics: DispatchMetrics },
): Promise<R> {
  const began = performance.now();
  const traced = within.child(`${facts.mode} ${facts.tool || facts.endpoint}`, () => attributesOf(facts));
  let outcome = 'broken';
  try {
    const answer = await call(traced.carried);
    outcome = outcomeOf(answer);
    return answer;
  } finally {
    metrics.ended(facts, outcome, (performance.now() - began) / 1000);
    // Where nothing is recorded, that is the call's own place in its trace.
    if (traced !== within) traced.ended(outcome, failures.has(outcome));
  }
}

function attributesOf({ endpoint, transport, mode, tool, actionId, attempt }: OutgoingFacts): Attributes {
  return {
    'tether.endpoint': endpoint,
    'tether.transport': transport,
    'tether.mode': mode,
    'tether.attempt': attempt,
    ...(tool === '' ? {} : { 'tether.tool': tool }),
    ...(actionId === '' ? {} : { 'tether.action_id': actionId }),
  };
}
