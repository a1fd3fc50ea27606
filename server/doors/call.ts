import type { CallFacts, WatchedCall } from '../lifecycle/ports/telemetry.ts';

/** One call, as either door sees it. */
export interface Call {
  readonly requestId: string;
  readonly door: CallFacts['door'];
  /** See {@link CallFacts.incoming}. */
  readonly incoming: CallFacts['incoming'];
  readonly authorization: string | undefined;
  /** The address that the connection comes from: the caller's, or that of a proxy. */
  readonly peer: string;
  /** Fires with a CallerGone when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Fires when the connection will soon be closed from here, which a stream must not outlast. */
  readonly closing?: AbortSignal | undefined;
  /** What the pipeline tells of it, from its first look at it on. */
  watched?: WatchedCall;
}
