/**
 * What the policy and the transports say to each other. A transport makes one attempt and reports what happened in words
 * that are the same for all three; what that means for a write or a read is decided in one place each (classify-write.ts,
 * classify-read.ts).
 */
import type { Actor, Observed } from '../domain/action.ts';
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { ActionableError } from '../domain/error.ts';
import type { ProbeDisposition } from '../lifecycle/ports/dispatcher.ts';
import type { Carried } from '../lifecycle/ports/telemetry.ts';

/** One attempt of a call, ready to go out. */
export interface Outgoing {
  /** 32 hex digits; the idempotency key of every transport. */
  readonly requestId: string;
  readonly tool: string;
  /** RFC 8785 text. */
  readonly arguments: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly mode: 'read' | 'execute';
  /** Empty for a read. */
  readonly actionId: string;
  readonly attempt: number;
  readonly deadline: Date;
}

/** What became of a write? Without its arguments and its deadline: whoever takes it for the write itself has nothing to do. */
export type Question = Pick<Outgoing, 'requestId' | 'tool' | 'tenant' | 'actionId' | 'attempt'>;

/** May this person confirm this action? */
export interface Petition {
  readonly observed: Observed;
  readonly approver: Actor;
}

/** What bounds the attempt. */
export interface Bounds {
  /** Per attempt, as it was fixed at the claim; told to the peer where the protocol can. */
  readonly timeoutMs: number;
  /** Fires when the attempt is over: by its timeout, or because the caller of a read left. The reason says which. */
  readonly signal: AbortSignal;
  /** Asked once, connected and right before the first byte of the request; false sends nothing. */
  readonly maySend: () => boolean;
  /** More metadata of the request. */
  readonly carried: Carried;
}

/** The reason of a signal that fired because the time of the attempt was up. */
export const timeIsUp = Symbol('the time of the attempt is up');

/** gRPC's status codes, as both gRPC and Connect have them; OK is no status of a failure. */
export const statusCodes = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
export type StatusCode = (typeof statusCodes)[number];

/** Room for what frames a result of the largest allowed size, and for a refusal's fields, bytes. */
export const framingBytes = 1_024;

/** No answer in the terms of the call: whatever the call was, it looks like this when it fails. */
export type Failure =
  /** Provably nothing was sent. */
  | { readonly kind: 'unsent'; readonly why: 'unreachable' | 'too-late' | 'aborted'; readonly cause?: unknown }
  /** It may have gone out, and no whole answer came back. */
  | { readonly kind: 'lost'; readonly why: 'timeout' | 'connection' | 'aborted'; readonly cause?: unknown }
  /** The answer exceeded the cap and was cut off. */
  | { readonly kind: 'too-large'; readonly status: number }
  /** A whole answer in plain HTTP. */
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly body: Uint8Array;
      /** From `Retry-After`, when it is a number of seconds. */
      readonly retryAfterSeconds?: number;
    }
  /** A status that the peer sent; never one that a client library made up. */
  | {
      readonly kind: 'status';
      readonly code: StatusCode;
      readonly message: string;
      readonly detail?: ActionableError;
    }
  /** A successful status with something else than an answer in it. */
  | { readonly kind: 'unreadable'; readonly cause?: unknown };

/** What became of one attempt. Over plain JSON every answer is `http`, the good ones too. */
export type Reply =
  | Failure
  /** `InvokeResponse.result_json`. */
  | { readonly kind: 'result'; readonly json: string }
  /** `InvokeResponse.refusal`. */
  | { readonly kind: 'refusal'; readonly error: ActionableError };

/** What became of a question. */
export type ProbeReply =
  | Failure
  | {
      readonly kind: 'probed';
      /** Undefined when it is none that we know. */
      readonly disposition: ProbeDisposition | undefined;
      /** As it was sent; undefined when there was none. */
      readonly result: string | undefined;
      readonly refusal: ActionableError | undefined;
    };

/** What became of a petition. */
export type Verdict =
  | Failure
  | { readonly kind: 'decided'; readonly allowed: boolean; readonly reason: ActionableError | undefined };

/**
 * One way to speak to an endpoint or an authorizer. Sends at most once per call, never follows or repeats anything by itself,
 * and never rejects for what a peer or network does.
 */
export interface Transport {
  invoke(outgoing: Outgoing, settings: EndpointSettings, bounds: Bounds): Promise<Reply>;
  probe(question: Question, settings: EndpointSettings, bounds: Bounds): Promise<ProbeReply>;
  authorize(petition: Petition, settings: EndpointSettings, bounds: Bounds): Promise<Verdict>;
  /** Drops all connections; calls in flight end as lost. */
  close(): Promise<void>;
}
