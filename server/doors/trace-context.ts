import type { Carried } from '../lifecycle/ports/telemetry.ts';

const none: Carried = {};

/** The caller's place in its trace, as it says (W3C Trace Context). Whether it makes sense is not looked at here. */
export function traceContextOf(traceparent: unknown, tracestate: unknown): Carried {
  if (typeof traceparent !== 'string') return none;
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
}
