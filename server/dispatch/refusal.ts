import type { ActionableError } from '../domain/error.ts';
import type { JsonText } from './json-text.ts';
import { jsonFromBytes, jsonFromText } from './json-text.ts';
import type { Failure, StatusCode } from './transport.ts';
import { vendorError } from './vendor-error.ts';
import { vendorText } from './vendor-text.ts';

/** Statuses with which a plain API refuses, if it says why (DESIGN §4). */
const refusingHttp = new Set([400, 409, 410, 412, 422]);
const refusingStatus = new Set<StatusCode>([
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
  'ALREADY_EXISTS',
]);

/** The vendor's reason, when the answer is one of those with which an endpoint refuses and a reason is in it. */
export function refusalIn(reply: Extract<Failure, { kind: 'http' | 'status' }>): ActionableError | undefined {
  if (reply.kind === 'http') {
    const json = refusingHttp.has(reply.status) ? jsonFromBytes(reply.body) : undefined;
    return json && vendorError(json);
  }
  if (!refusingStatus.has(reply.code)) return undefined;
  if (reply.detail !== undefined) return reply.detail;
  if (reply.message === '') return undefined;
  return { code: 'REFUSED', message: vendorText(reply.message, 'message'), effect: 'NONE', retryable: false };
}

/** The reason in an answer that has an `error` in it and should not (DESIGN §4: "2xx with any other `error`"). */
export function refusalOf(json: JsonText): ActionableError {
  return (
    vendorError(json) ?? {
      code: 'REFUSED',
      message: 'The endpoint refused the call.',
      effect: 'NONE',
      retryable: false,
    }
  );
}

/** A reason that stands inside an answer: an object with an `error` or a `message`, or a sentence. Undefined when it says nothing. */
export function reasonIn(text: string): ActionableError | undefined {
  const json = jsonFromText(text);
  const named = typeof json?.value === 'string' ? jsonFromText(`{"message":${text}}`) : json;
  return named && vendorError(named);
}
