/** What operators are told of what happens. Implemented by telemetry; costs little, and never throws. */

import type { EndpointTransport } from '../../domain/endpoint.ts';

/** How a call came in. */
export interface CallFacts {
  /** `Service/Rpc`. */
  readonly rpc: string;
  readonly door: 'grpc' | 'connect' | 'grpc-web' | 'json';
  readonly requestId: string;
  /** The trace context that its caller sent, as it came: `traceparent` and `tracestate`. */
  readonly incoming: Carried;
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

/** One call of an endpoint, of the authorizer or of a webhook. */
export interface OutgoingFacts {
  /** As it is declared. */
  readonly endpoint: string;
  readonly transport: EndpointTransport;
  readonly mode: 'read' | 'execute' | 'probe' | 'authorize' | 'webhook';
  /** Empty for none. */
  readonly tool: string;
  /** Empty for none. */
  readonly actionId: string;
  readonly attempt: number;
}

/** Metadata that a request carries beside ours, so that the caller's trace goes on at the endpoint. */
export type Carried = Readonly<Record<string, string>>;

export interface DispatchTelemetry {
  /** Makes a call; `outcomeOf` names what came of it, in one of a few words. */
  dispatch<R>(
    facts: OutgoingFacts,
    call: (carried: Carried) => Promise<R>,
    outcomeOf: (answer: R) => string,
  ): Promise<R>;
}

export interface Telemetry extends CallTelemetry, RepeatTelemetry, JobTelemetry, DispatchTelemetry {}

const unwatched: WatchedCall = { within: (step) => step(), about: () => undefined, ended: () => undefined };

/** Tells nobody anything. */
export const untold: Telemetry = {
  call: () => unwatched,
  repeated: () => undefined,
  job: (_, sweep) => sweep(),
  dispatch: (_, call) => call({}),
};
