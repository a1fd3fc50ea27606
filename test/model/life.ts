/** The model's states and steps as the domain says them: what its table is compared with. */

import type { AttemptOutcome, Effect, State } from '../../server/domain/action.ts';
import { states } from '../../server/domain/action.ts';
import type { Answer } from '../../server/domain/answer.ts';
import type { ActionableError } from '../../server/domain/error.ts';
import type { Event, Life } from '../../server/domain/transition.ts';
import { CLAIM_ACKNOWLEDGED, L, readLabel, WORD_HEEDED, WORD_LANDED } from './labels.ts';
import {
  A_EXP,
  A_SIZE,
  A_ST,
  at,
  attemptAt,
  E500,
  effectNames,
  NOANSWER,
  NOTAPPLIED,
  OK,
  OPEN,
  R_500,
  R_NOANSWER,
  R_OK,
  R_REFUSED,
  R_RELEASED,
  REFUSE,
  REFUSE_A,
  REFUSE_U,
  stateNames,
  T_EFF,
  T_REC,
} from './layout.ts';
import { effectOf, used } from './reading.ts';

const outcomes: Record<number, AttemptOutcome> = {
  [OPEN]: 'OPEN',
  [R_OK]: 'SUCCEEDED',
  [R_REFUSED]: 'REFUSED',
  [R_RELEASED]: 'FAILED',
  [R_500]: 'FAILED',
  [R_NOANSWER]: 'NO_ANSWER',
};

function named<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new RangeError(`the domain has no such ${what}`);
  return value;
}

function stateOf(s: Uint8Array, a: number): State {
  const name = stateNames[at(s, a * A_SIZE + A_ST)];
  return named(
    states.find((state) => state === name),
    `state: ${name}`,
  );
}

/** As it is told: UNKNOWN while an attempt is under way. */
export function effectTold(s: Uint8Array, a: number): Effect {
  return stateOf(s, a) === 'EXECUTING' ? 'UNKNOWN' : named(effectNames[effectOf(s, a)], 'effect');
}

function attemptsOf(s: Uint8Array, a: number): Life['attempts'] {
  return Array.from({ length: used(s, a) }, (_, i) => {
    const t = attemptAt(a, i);
    const outcome = named(outcomes[at(s, t + T_REC)], 'outcome');
    const effect = outcome === 'OPEN' ? 'UNKNOWN' : named(effectNames[at(s, t + T_EFF)], 'effect');
    return { number: i + 1, outcome, effect };
  });
}

export function lifeOf(s: Uint8Array, a: number): Life {
  return { state: stateOf(s, a), effect: effectTold(s, a), attempts: attemptsOf(s, a) };
}

const error: ActionableError = { code: 'X', message: 'for this test', effect: 'NONE', retryable: false };

/** The domain's word for an answer of the model. */
export function answerOf(code: number): Answer {
  switch (code) {
    case OK:
      return { kind: 'succeeded', result: '{}' };
    case REFUSE:
      return { kind: 'refused', effect: 'NONE', error };
    case REFUSE_U:
      return { kind: 'refused', effect: 'UNKNOWN', error };
    case REFUSE_A:
      return { kind: 'refused', effect: 'APPLIED', error };
    case NOTAPPLIED:
      return { kind: 'failed', effect: 'NONE', error };
    case E500:
      return { kind: 'failed', effect: 'UNKNOWN', error };
    case NOANSWER:
      return { kind: 'no-answer', error };
    default:
      throw new RangeError(`the domain has no such answer: ${code}`);
  }
}

export function isPastExpiry(s: Uint8Array, a: number): boolean {
  return at(s, a * A_SIZE + A_EXP) === 1;
}

/** The event that a step of the model is to the domain; undefined for steps that write nothing on the action. */
export function eventOf(code: number, before: Uint8Array): Event | undefined {
  const { type, a, x, attempt, detail } = readLabel(code);
  const pastExpiry = isPastExpiry(before, a);
  switch (type) {
    case L.claim:
      return { type: 'claim', acknowledged: (x & CLAIM_ACKNOWLEDGED) > 0, pastExpiry };
    case L.settle:
    case L.settleAgain:
      return { type: 'answer', attempt: attempt + 1, answer: answerOf(detail), pastExpiry };
    case L.lease:
      return { type: 'lease-over', attempt: x + 1 };
    case L.expire:
      return { type: 'expire', pastExpiry };
    case L.reject:
      return { type: 'reject' };
    case L.amend:
      return { type: 'amend', pastExpiry };
    case L.recheckDiffers:
      return { type: 'differs' };
    case L.probeCommit:
    case L.resolve:
      if ((x & WORD_HEEDED) === 0) return undefined;
      return x & WORD_LANDED ? { type: 'landed' } : { type: 'not-landed', pastExpiry };
    default:
      return undefined;
  }
}
