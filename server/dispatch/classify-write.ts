/**
 * What the answer to a confirmed write means: the two tables of DESIGN §4, in one place, for all transports. Doubt is the
 * rule and certainty the exception: what is not listed decides nothing.
 */
import type { Answer } from '../domain/answer.ts';
import type { ActionableError } from '../domain/error.ts';
import { type JsonText, jsonFromBytes, jsonFromText } from './json-text.ts';
import { refusalIn, refusalOf } from './refusal.ts';
import type { Reply, StatusCode } from './transport.ts';
import { errorMember } from './vendor-error.ts';

export function classifyWrite(reply: Reply): Answer {
  switch (reply.kind) {
    case 'unsent':
      return notSent(
        reply.why === 'too-late' ? 'it was too late to send the call' : 'the endpoint could not be reached',
      );
    case 'lost':
      return noAnswer(
        reply.why === 'timeout'
          ? 'The endpoint did not answer in time'
          : 'The connection to the endpoint was lost before a whole answer came',
      );
    case 'too-large':
      return reply.status >= 400
        ? byHttpStatus(reply.status, undefined)
        : noAnswer('The answer was larger than allowed');
    case 'http':
      return byHttp(reply);
    case 'result':
      return byJson(jsonFromText(reply.json));
    case 'refusal':
      return refused(reply.error);
    case 'status':
      return byStatus(reply);
    case 'unreadable':
      return noAnswer('What the endpoint answered cannot be read');
  }
}

function byHttp(reply: Extract<Reply, { kind: 'http' }>): Answer {
  const { status } = reply;
  if (status >= 200 && status <= 299) return byJson(jsonFromBytes(reply.body));
  const refusal = refusalIn(reply);
  return refusal === undefined ? byHttpStatus(status, reply.retryAfterSeconds) : refused(refusal);
}

/** A status whose body tells nothing that counts. */
function byHttpStatus(status: number, retryAfterSeconds: number | undefined): Answer {
  if (status === 408 || status === 502 || status === 504) {
    return noAnswer(`The endpoint, or something before it, gave up waiting (HTTP ${status})`);
  }
  if (status >= 500) return failedInDoubt();
  if (status === 425 || status === 429) return turnedAway(`HTTP ${status}`, true, retryAfterSeconds);
  if (status >= 400) return turnedAway(`HTTP ${status}`, false);
  return noAnswer(`The endpoint answered with HTTP ${status}, which says nothing about the write`);
}

function byJson(json: JsonText | undefined): Answer {
  if (json === undefined) return noAnswer('The endpoint reported success, but its answer is not JSON');
  return errorMember(json) === undefined ? { kind: 'succeeded', result: json.text } : refused(refusalOf(json));
}

function byStatus(reply: Extract<Reply, { kind: 'status' }>): Answer {
  const refusal = refusalIn(reply);
  return refusal === undefined ? statusAnswers[reply.code](reply.code) : refused(refusal);
}

const away = (code: StatusCode) => turnedAway(code, false);
const busy = (code: StatusCode) => turnedAway(code, true);
const doubt = () => failedInDoubt();
const silence = (code: StatusCode) => noAnswer(`The endpoint answered ${code}, which says nothing about the write`);

/** Without a refusal in it. The refusing codes without a reason are as good as a 4xx without one. */
const statusAnswers: Record<StatusCode, (code: StatusCode) => Answer> = {
  INVALID_ARGUMENT: away,
  FAILED_PRECONDITION: away,
  OUT_OF_RANGE: away,
  ALREADY_EXISTS: away,
  NOT_FOUND: away,
  PERMISSION_DENIED: away,
  UNAUTHENTICATED: away,
  UNIMPLEMENTED: away,
  RESOURCE_EXHAUSTED: busy,
  ABORTED: busy,
  UNKNOWN: doubt,
  INTERNAL: doubt,
  DATA_LOSS: doubt,
  UNAVAILABLE: silence,
  DEADLINE_EXCEEDED: silence,
  CANCELLED: silence,
};

function refused(error: ActionableError): Answer {
  return { kind: 'refused', effect: error.effect, error };
}

function turnedAway(how: string, retryable: boolean, retryAfterSeconds?: number): Answer {
  const advice = retryable
    ? 'Nothing was done; it may take the same call after a while.'
    : 'Nothing was done, and repeating it unchanged will not help: whoever runs the endpoint has to look at it.';
  return failed('NONE', `The endpoint turned the call away (${how}). ${advice}`, retryable, retryAfterSeconds);
}

/** Nothing left this process: released, nothing done, worth a repeat. */
export function notSent(reason: string): Answer {
  return failed('NONE', `Nothing was sent: ${reason}.`, true);
}

function failedInDoubt(): Answer {
  return failed('UNKNOWN', 'The call failed at the endpoint, which may have made the change before it failed.', true);
}

/** Says what happened; what that leaves to do is added by whoever knows how many attempts are left. */
function failed(effect: 'NONE' | 'UNKNOWN', message: string, retryable: boolean, retryAfterSeconds?: number): Answer {
  const error = { code: 'EXECUTION_FAILED_RETRYABLE', message, effect, retryable, retryAfterSeconds };
  return { kind: 'failed', effect, error };
}

function noAnswer(reason: string): Answer {
  const error = { code: 'OUTCOME_INDETERMINATE', message: `${reason}.`, effect: 'UNKNOWN', retryable: false } as const;
  return { kind: 'no-answer', error };
}
