import type { JsonValue } from './json/json-number.ts';
import type { Effect } from './wire/enums.ts';

/** A move that is open to whoever reads the error. */
export interface Alternative {
  /** An RPC of Tether in lower_snake_case (`get`, `confirm`, `stage`), or a vendor's own word. */
  readonly action: string;
  /** The tool to call, if the move is a tool call. */
  readonly tool?: string;
  /** Arguments for the move. */
  readonly arguments?: JsonValue;
  readonly description?: string;
  /** Whatever else a vendor said about the move. */
  readonly extra?: JsonValue;
}

/** What went wrong, said so that the next call can be computed from it (docs/errors.md). */
export interface ActionableError {
  /** Stable: one of Tether's own, or a vendor's as the vendor spells it; without an answer the status of the RPC. */
  readonly code: string;
  readonly message: string;
  /** The offending argument or field: its name, or a JSON Pointer when nested. */
  readonly field?: string;
  readonly received?: JsonValue;
  /** The boundary that was crossed. */
  readonly limit?: JsonValue;
  /** The values that would be accepted; empty when they cannot be listed. */
  readonly accepted: readonly JsonValue[];
  /** What was left behind. Independent of `retryable`. */
  readonly effect: Effect;
  /** Whether an identical repeat could ever succeed. */
  readonly retryable: boolean;
  /** Milliseconds before a repeat is worth making; not there when waiting changes nothing. */
  readonly retryAfterMs?: number;
  /** The moves that exist from here, best first. */
  readonly alternatives: readonly Alternative[];
}

/** What {@link TetherError} knows beside the error itself. */
export interface Circumstances {
  /** The RPC's status, as gRPC spells it: `NOT_FOUND`, `UNAVAILABLE`. */
  readonly status: string;
  /** True when Tether said this; false when no answer came, or none of Tether's, and this client says so. */
  readonly answered: boolean;
  /** What to tell the operator, who finds the call in the log by it. */
  readonly requestId?: string;
}

/**
 * Every failed call rejects with this. `effect` says what that call left behind: NONE, that it recorded and ran nothing;
 * UNKNOWN, that nobody here can know, as when a write was sent and no answer came. Then read with `get` before anything is done again.
 * Without an answer it is NONE only of a call that only reads, or that provably was never sent: on Node, when no connection was made.
 */
export class TetherError extends Error implements ActionableError, Circumstances {
  readonly code: string;
  readonly field?: string;
  readonly received?: JsonValue;
  readonly limit?: JsonValue;
  readonly accepted: readonly JsonValue[];
  readonly effect: Effect;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly alternatives: readonly Alternative[];
  readonly status: string;
  readonly answered: boolean;
  readonly requestId?: string;

  constructor(error: ActionableError, { status, answered, requestId }: Circumstances, options?: ErrorOptions) {
    super(error.message, options);
    this.name = 'TetherError';
    this.code = error.code;
    this.field = error.field;
    this.received = error.received;
    this.limit = error.limit;
    this.accepted = error.accepted;
    this.effect = error.effect;
    this.retryable = error.retryable;
    this.retryAfterMs = error.retryAfterMs;
    this.alternatives = error.alternatives;
    this.status = status;
    this.answered = answered;
    this.requestId = requestId;
  }
}

/** What the caller's own code got wrong, found before anything was sent. */
export function invalidInput(
  code: 'INVALID_ARGUMENTS' | 'INVALID_REQUEST',
  field: string,
  message: string,
): TetherError {
  const error: ActionableError = {
    ...{ code, message, field: field || undefined },
    ...{ effect: 'NONE', retryable: false, accepted: [], alternatives: [] },
  };
  return new TetherError(error, { status: 'INVALID_ARGUMENT', answered: false });
}
