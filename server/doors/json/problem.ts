import { Code } from '@connectrpc/connect';
import type { ActionableError } from '@tether/proto/tether/v1/error_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import type { CallErrorCode } from '../../domain/error.ts';
import { errorToWire } from '../../wire/error.ts';
import { type Failure, statusOf } from '../failure.ts';
import { type Member, stringText } from './json-text.ts';
import { membersOf } from './write-message.ts';

/** The HTTP status of a refusal follows from its RPC status (DESIGN §3) … */
const ordinary: Partial<Record<Code, number>> = {
  [Code.InvalidArgument]: 400,
  [Code.Unauthenticated]: 401,
  [Code.PermissionDenied]: 403,
  [Code.NotFound]: 404,
  [Code.Aborted]: 409,
  [Code.FailedPrecondition]: 409,
  [Code.ResourceExhausted]: 429,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
};

/** … but for these, which HTTP can tell better. */
const special: Partial<Record<CallErrorCode, number>> = {
  IDEMPOTENCY_KEY_REUSED: 422,
  RISK_ACKNOWLEDGEMENT_REQUIRED: 412,
  PREVIEW_DIGEST_MISMATCH: 412,
  TOOL_UNAVAILABLE: 502,
  RESPONSE_TOO_LARGE: 502,
  RESPONSE_INVALID: 502,
};

/**
 * The word of each HTTP status of a failed call. None of them is an outcome's: `PreconditionFailed` is an action that ended, so
 * that 412 has another.
 */
export const statusWords = {
  400: 'Invalid',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  412: 'GuardNotMet',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'KeyReused',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  499: 'CallerGone',
  500: 'InternalError',
  502: 'ToolFailed',
  503: 'Unavailable',
} as const satisfies Record<number, string>;

type Status = keyof typeof statusWords;

/** A failed call, ready to be answered. */
export interface Problem {
  readonly status: number;
  readonly members: readonly Member[];
  /** Seconds, whole, rounded up: the Retry-After header. */
  readonly retryAfter: number | undefined;
}

/** A failed call as the JSON door says it; `status` where plain HTTP has a better one than the code's. */
export function problemOf({ detail, message }: Failure, status?: number): Problem {
  // Without a detail the caller is gone, and cannot know what happened; nor does anybody read this.
  if (detail === undefined)
    return { status: 499, members: [wordOf(499), ['errorMessage', stringText(message)]], retryAfter: undefined };
  const code = status ?? httpStatusOf(detail.code);
  const { retryAfterSeconds } = detail;
  return {
    status: code,
    members: [wordOf(code), ...errorMembers(errorToWire(detail))],
    retryAfter: retryAfterSeconds === undefined ? undefined : Math.ceil(retryAfterSeconds),
  };
}

/** A refusal inside of an answer: an entry of a plan. */
export function refusalMembers(error: ActionableError): readonly Member[] {
  return [wordOf(httpStatusOf(error.code)), ...errorMembers(error)];
}

/** Why something did not succeed, beside its status: `errorCode`, `errorMessage`, and what the next call is computed from. */
export function errorMembers(error: ActionableError): readonly Member[] {
  return membersOf(ActionableErrorSchema, error).map(([name, json]) => [errorNames.get(name) ?? name, json]);
}

/** What is called otherwise where an error's members stand beside others. */
export const errorNames: ReadonlyMap<string, string> = new Map([
  ['code', 'errorCode'],
  ['message', 'errorMessage'],
]);

export function httpStatusOf(code: string): number {
  if (!isCallErrorCode(code)) return 500;
  return special[code] ?? ordinary[statusOf[code]] ?? 500;
}

function isCallErrorCode(code: string): code is CallErrorCode {
  return Object.hasOwn(statusOf, code);
}

function wordOf(status: number): Member {
  return ['status', stringText(isKnown(status) ? statusWords[status] : statusWords[500])];
}

function isKnown(status: number): status is Status {
  return Object.hasOwn(statusWords, status);
}
