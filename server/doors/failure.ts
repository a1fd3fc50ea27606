import { Code } from '@connectrpc/connect';
import type { ActionableError, CallError, CallErrorCode } from '../domain/error.ts';
import { fitDetail } from './fit-detail.ts';

/** The status of each refusal (DESIGN §3). Connect's numbers are gRPC's. */
export const statusOf = {
  ACTION_NOT_FOUND: Code.NotFound,
  CONFIRM_IN_FLIGHT: Code.Aborted,
  IDEMPOTENCY_KEY_REUSED: Code.InvalidArgument,
  RISK_ACKNOWLEDGEMENT_REQUIRED: Code.FailedPrecondition,
  PREVIEW_DIGEST_MISMATCH: Code.FailedPrecondition,
  INTENT_HELD: Code.FailedPrecondition,
  SECOND_PERSON_REQUIRED: Code.PermissionDenied,
  ACTION_SETTLED: Code.FailedPrecondition,
  NOT_IN_DOUBT: Code.FailedPrecondition,
  OUTCOME_INDETERMINATE: Code.FailedPrecondition,
  PRECONDITION_NOT_MET: Code.FailedPrecondition,
  PRECONDITION_UNKNOWN: Code.Unavailable,
  INVALID_ARGUMENTS: Code.InvalidArgument,
  INVALID_REQUEST: Code.InvalidArgument,
  INVALID_CURSOR: Code.InvalidArgument,
  TOOL_NOT_FOUND: Code.NotFound,
  CREDENTIAL_NOT_FOUND: Code.NotFound,
  LAST_OPERATOR: Code.FailedPrecondition,
  DELIVERY_NOT_FOUND: Code.NotFound,
  UNAUTHENTICATED: Code.Unauthenticated,
  PERMISSION_DENIED: Code.PermissionDenied,
  RATE_LIMITED: Code.ResourceExhausted,
  AUTHORIZER_DENIED: Code.PermissionDenied,
  AUTHORIZER_UNAVAILABLE: Code.Unavailable,
  TOOL_UNAVAILABLE: Code.Unavailable,
  RESPONSE_TOO_LARGE: Code.Unavailable,
  RESPONSE_INVALID: Code.Unavailable,
  STOPPED: Code.FailedPrecondition,
  INTERNAL: Code.Internal,
  UNAVAILABLE: Code.Unavailable,
} as const satisfies Record<CallErrorCode, Code>;

/** gRPC's spelling of a status. */
export function statusName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** How an RPC fails, ready for any wire. Without a detail the caller cannot know what happened, and should read with Get. */
export class Failure extends Error {
  readonly code: Code;
  readonly detail: ActionableError | undefined;

  constructor(code: Code, message: string, detail?: ActionableError, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
    this.detail = detail;
  }
}

/** A refusal that a door decides by itself, before any RPC. */
export function refusalOf({ code, detail }: CallError): Failure {
  const fitted = fitDetail(detail);
  return new Failure(statusOf[code], fitted.message, fitted);
}
