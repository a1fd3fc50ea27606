/** What operators are told of what happens. Implemented by telemetry; costs little, and never throws. */

/** How a call came in. */
export interface CallFacts {
  /** `Service/Rpc`. */
  readonly rpc: string;
  readonly door: 'grpc' | 'connect' | 'grpc-web' | 'json';
  readonly requestId: string;
}

/** A call that is answered just now. */
export interface WatchedCall {
  /** Runs a step of it: what is logged and sent in there belongs to the call. */
  within<T>(step: () => T): T;
  /** The action that it is about, as soon as that is known. */
  about(actionId: string): void;
  /** How it ended: gRPC's name of the status, and our code of an error. The first word counts. */
  ended(status: string, error?: string): void;
}

export interface CallTelemetry {
  call(facts: CallFacts): WatchedCall;
}

/** What was asked for again: the same confirm, the same request id of a stage, or the same wish in other words. */
export type Repeated = 'confirm' | 'request' | 'intent';

export interface RepeatTelemetry {
  repeated(what: Repeated): void;
}

export interface JobTelemetry {
  /** Runs one sweep: what is logged and sent in there belongs to it. */
  job(name: string, sweep: () => Promise<number>): Promise<number>;
}

export interface Telemetry extends CallTelemetry, RepeatTelemetry, JobTelemetry {}

const unwatched: WatchedCall = { within: (step) => step(), about: () => undefined, ended: () => undefined };

/** Tells nobody anything. */
export const untold: Telemetry = {
  call: () => unwatched,
  repeated: () => undefined,
  job: (_, sweep) => sweep(),
};
