import type { Effect } from './effect.ts';

/** A move that is open to whoever reads the error. */
export interface Alternative {
  /** lower_snake_case: an RPC of Tether, or a vendor's own word. */
  readonly action: string;
  readonly tool?: string;
  /** JSON text. */
  readonly argumentsJson?: string;
  readonly description?: string;
  /** Whatever else a vendor said: a JSON object as text. */
  readonly extraJson?: string;
}

/**
 * What went wrong, said so that the next call can be computed from it (DESIGN §3.1). Plain data: it is stored as JSON
 * beside attempts, and mapped for the wire in one place.
 */
export interface ActionableError {
  readonly code: string;
  readonly message: string;
  /** The argument's name, or a JSON Pointer when nested. */
  readonly field?: string;
  /** JSON text. */
  readonly receivedJson?: string;
  /** JSON text. */
  readonly limitJson?: string;
  /** Each JSON text. */
  readonly acceptedJson?: readonly string[];
  readonly effect: Effect;
  /** Could an identical repeat ever succeed? */
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly alternatives?: readonly Alternative[];
}

/** Codes with which a call is refused: it recorded and ran nothing, unless its effect says otherwise (DESIGN §3). */
export const callErrorCodes = [
  'ACTION_NOT_FOUND',
  'CONFIRM_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
  'RISK_ACKNOWLEDGEMENT_REQUIRED',
  'PREVIEW_DIGEST_MISMATCH',
  'INTENT_HELD',
  'SECOND_PERSON_REQUIRED',
  'ACTION_SETTLED',
  'NOT_IN_DOUBT',
  'OUTCOME_INDETERMINATE',
  'PRECONDITION_NOT_MET',
  'PRECONDITION_UNKNOWN',
  'INVALID_ARGUMENTS',
  'INVALID_REQUEST',
  'INVALID_CURSOR',
  'TOOL_NOT_FOUND',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'AUTHORIZER_DENIED',
  'AUTHORIZER_UNAVAILABLE',
  'TOOL_UNAVAILABLE',
  'RESPONSE_TOO_LARGE',
  'RESPONSE_INVALID',
  'INTERNAL',
  'UNAVAILABLE',
] as const;
export type CallErrorCode = (typeof callErrorCodes)[number];

/** Codes of recorded outcomes: of an attempt, or of an action that ended without one. A vendor's own codes come beside them. */
export const outcomeErrorCodes = [
  'EXECUTION_FAILED_RETRYABLE',
  'EXECUTION_FAILED',
  'OUTCOME_INDETERMINATE',
  'REFUSED',
  'ACTION_EXPIRED',
  'ACTION_REJECTED',
  'ACTION_SUPERSEDED',
  'PRECONDITION_FAILED',
] as const;

/** A call that is refused, as a value to throw: the doors map it for the wire, and nothing else is ever told a caller. */
export class CallError extends Error {
  readonly code: CallErrorCode;
  readonly detail: ActionableError;

  constructor(
    code: CallErrorCode,
    detail: Omit<ActionableError, 'code' | 'effect'> & { readonly effect?: Effect },
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail.message}`, options);
    this.name = 'CallError';
    this.code = code;
    this.detail = { code, effect: 'NONE', ...detail };
  }
}
