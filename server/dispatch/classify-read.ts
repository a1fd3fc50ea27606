import type { ActionableError } from '../domain/error.ts';
import { type JsonText, jsonFromBytes, jsonFromText } from './json-text.ts';
import { refusalIn } from './refusal.ts';
import { refusalJson } from './refusal-json.ts';
import type { Reply, StatusCode } from './transport.ts';

/** What one attempt of a read came to; `again` when another attempt may be made. */
export type ReadOutcome =
  | { readonly kind: 'result'; readonly result: string }
  | { readonly kind: 'failed'; readonly error: ActionableError; readonly again: boolean };

const retriedHttp = new Set([408, 429, 502, 503, 504]);
const retriedStatus = new Set<StatusCode>(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED']);

/** What the answer to a read means (DESIGN §4). An answer with an `error` in it is a result: the model reads it. */
export function classifyRead(reply: Reply): ReadOutcome {
  switch (reply.kind) {
    case 'unsent':
    case 'lost':
      return unavailable(
        reply.why === 'timeout' ? 'the endpoint did not answer in time' : 'the endpoint could not be reached',
        reply.why !== 'aborted',
      );
    case 'too-large':
      return reply.status >= 300 ? byHttpStatus(reply.status) : tooLarge();
    case 'http':
      if (reply.status >= 200 && reply.status <= 299) return byJson(jsonFromBytes(reply.body));
      return byReason(refusalIn(reply)) ?? byHttpStatus(reply.status);
    case 'result':
      return byJson(jsonFromText(reply.json));
    case 'refusal':
      return { kind: 'result', result: refusalJson(reply.error) };
    case 'status':
      return (
        byReason(refusalIn(reply)) ?? unavailable(`the endpoint answered ${reply.code}`, retriedStatus.has(reply.code))
      );
    case 'unreadable':
      return invalid();
  }
}

function byHttpStatus(status: number): ReadOutcome {
  return unavailable(`the endpoint answered HTTP ${status}`, retriedHttp.has(status));
}

function byJson(json: JsonText | undefined): ReadOutcome {
  return json === undefined ? invalid() : { kind: 'result', result: json.text };
}

/** A refusing status with a reason: the vendor's fields are kept, under the code that a failed read has. */
function byReason(reason: ActionableError | undefined): ReadOutcome | undefined {
  if (reason === undefined) return undefined;
  return { kind: 'failed', again: false, error: { ...reason, code: 'TOOL_UNAVAILABLE', effect: 'NONE' } };
}

/** What a failed read says; `again` also says whether an identical call could succeed. */
export function unavailable(reason: string, again: boolean): Extract<ReadOutcome, { kind: 'failed' }> {
  const advice = again ? 'Call it again in a moment.' : 'Calling it again unchanged will not help.';
  const message = `The lookup failed: ${reason}. ${advice}`;
  return { kind: 'failed', again, error: { code: 'TOOL_UNAVAILABLE', message, effect: 'NONE', retryable: again } };
}

function tooLarge(): ReadOutcome {
  const message = 'The lookup failed: the answer is larger than this endpoint may send. Ask for less, or page by page.';
  return {
    kind: 'failed',
    again: false,
    error: { code: 'RESPONSE_TOO_LARGE', message, effect: 'NONE', retryable: false },
  };
}

function invalid(): ReadOutcome {
  const message = 'The lookup failed: what the endpoint answered is not JSON. Whoever runs it has to look at it.';
  return {
    kind: 'failed',
    again: false,
    error: { code: 'RESPONSE_INVALID', message, effect: 'NONE', retryable: false },
  };
}
