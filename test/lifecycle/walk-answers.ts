/** The many shapes of each answer of the model on the wire, and what a confirm that runs nothing must be told. */
import type { Life } from '../../server/domain/transition.ts';
import type { ConfirmStatus } from '../../server/lifecycle/lifecycle.ts';
import { E500, NOANSWER, NOTAPPLIED, OK, REFUSE, REFUSE_A, REFUSE_U } from '../model/layout.ts';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';

const shapes: Record<number, readonly EndpointAnswer[]> = {
  [OK]: [answers.result('{"ok":true}'), answers.result('{"id":9007199254740993,"error":null}')],
  [REFUSE]: [
    answers.refusal({ code: 'already_void', message: 'The ticket is void already.' }),
    answers.http(409, '{"error":"already_void"}'),
    answers.http(422, '{"message":"No such ticket."}'),
  ],
  [REFUSE_A]: [answers.refusal({ code: 'already_void', message: 'It is void by this call.', effect: 'APPLIED' })],
  [REFUSE_U]: [answers.refusal({ code: 'half_done', message: 'Look it up.', effect: 'UNKNOWN' })],
  [NOTAPPLIED]: [answers.http(404), answers.http(403), answers.http(429), answers.http(425)],
  [E500]: [answers.http(500), answers.http(503, '{"message":"busy"}')],
  [NOANSWER]: [
    answers.reset(),
    answers.cut('{"ok":'),
    answers.http(504),
    answers.http(502, '<html>'),
    answers.http(408),
    answers.http(302),
    answers.http(200, 'ok'),
    answers.http(200, `"${'x'.repeat(300_000)}"`),
  ],
};

/** A shape of the answer; which one is up to `variety`. */
export function shapeOf(answer: number, variety: number): EndpointAnswer {
  const choices = shapes[answer] ?? [];
  const shape = choices[variety % choices.length];
  if (shape === undefined) throw new RangeError(`there is no answer ${answer}`);
  return shape;
}

/** What a confirm runs into: the status of a recorded outcome, or the code of an error. */
export type Told = ConfirmStatus | string;

/** What a confirm must be told that is not to run, by the record as it stands (DESIGN §2.2 steps 3 and 4). */
export function toldOf({ state, attempts }: Life, expectedAttempts: number): Told {
  const attempt = attempts[expectedAttempts];
  if (attempt !== undefined) {
    if (attempt.outcome === 'OPEN') return 'CONFIRM_IN_FLIGHT';
    if (attempt.effect === 'APPLIED' && attempt.outcome !== 'REFUSED') return 'REPLAYED';
    if (attempt.outcome === 'FAILED') return attempt.number < 3 ? 'FAILED_RETRYABLE' : 'FAILED';
    return attempt.outcome === 'NO_ANSWER' ? 'INDETERMINATE' : attempt.outcome;
  }
  switch (state) {
    case 'PENDING':
    case 'EXPIRED':
      return 'ACTION_NOT_FOUND';
    case 'EXECUTING':
      return 'CONFIRM_IN_FLIGHT';
    case 'SUCCEEDED':
      return 'REPLAYED';
    case 'INDETERMINATE':
      return 'OUTCOME_INDETERMINATE';
    case 'REFUSED':
    case 'FAILED':
    case 'PRECONDITION_FAILED':
    case 'REJECTED':
    case 'SUPERSEDED':
      return 'ACTION_SETTLED';
  }
}
