import type { Carried } from '../../lifecycle/ports/telemetry.ts';
import { type Traced, type Tracer, untraced } from './trace.ts';

/** Version 00 of the W3C's Trace Context; no id is all zeros. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A list of vendors' members, as one header: visible, and not longer than anybody has to keep. */
const tracestate = /^[\x20-\x7e]{1,512}$/;

/** Records nothing, and hands the caller's trace on to the endpoint as it came. */
export const forwardingTracer: Tracer = {
  call(_, incoming) {
    const [parent, traceId] = traceparent.exec(incoming.traceparent ?? '') ?? [];
    if (parent === undefined || traceId === undefined) return untraced;
    const carried = carriedOf(parent, incoming.tracestate);
    const traced: Traced = { ...untraced, carried, traceId, child: () => traced };
    return traced;
  },
  job: () => untraced,
  close: async () => undefined,
};

function carriedOf(parent: string, state: string | undefined): Carried {
  return state !== undefined && tracestate.test(state)
    ? { traceparent: parent, tracestate: state }
    : { traceparent: parent };
}
