import type { Carried } from '../../lifecycle/ports/telemetry.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** A piece of work, and where it stands in a trace. */
export interface Traced {
  /** Metadata with which a request goes on from here; empty for no trace. */
  readonly carried: Carried;
  /** Undefined for no trace. */
  readonly traceId: string | undefined;
  /** A call that is made in it. */
  child(name: string, attributes: () => Attributes): Traced;
  set(name: string, value: string): void;
  /** `failed`: by our fault or the other side's, not by being refused. */
  ended(outcome: string, failed: boolean): void;
}

export interface Tracer {
  /** A call that came in, which goes on with its caller's trace if it has one. `incoming` as it was sent. */
  call(name: string, incoming: Carried, attributes: () => Attributes): Traced;
  /** Work that nobody asked for: a trace of its own, if anything is called in it. */
  job(name: string, attributes: () => Attributes): Traced;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Work in no trace. */
export const untraced: Traced = {
  carried: {},
  traceId: undefined,
  child: () => untraced,
  set: () => undefined,
  ended: () => undefined,
};
