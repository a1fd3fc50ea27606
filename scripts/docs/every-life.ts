/** Every life that an action can have, found by asking the transition table itself what each event makes of each life. */
import { type Effect, effects, type State } from '../../server/domain/action.ts';
import type { Answer } from '../../server/domain/answer.ts';
import type { ActionableError } from '../../server/domain/error.ts';
import { type Event, type Life, type Transition, transition } from '../../server/domain/transition.ts';

/** What happens to an action, in the words of the documents. */
export const happenings = [
  'claim',
  'answer: success',
  'answer: refusal',
  'answer: failure',
  'silence',
  'late answer: it landed',
  'late answer: anything else',
  'expiry',
  'reject',
  'amend',
  'recheck differs',
  'landed',
  'not landed',
] as const;
export type Happening = (typeof happenings)[number];

/** One step of one life; `to` is undefined where the table refuses it, or where nothing is left to record. */
export interface Step {
  readonly from: Life;
  readonly happening: Happening;
  readonly to: Life | undefined;
}

/** Every step of every life of up to three attempts. */
export function everyStep(): Step[] {
  const first: Life = { state: 'PENDING', effect: 'NONE', attempts: [] };
  const seen = new Map([[JSON.stringify(first), first]]);
  const steps: Step[] = [];
  // A Map is walked in the order in which it grows: what is found on the way is walked too.
  for (const from of seen.values()) {
    for (const [happening, event] of eventsOn(from)) {
      const to = after(from, event, transition(from, event));
      steps.push({ from, happening, to });
      if (to !== undefined) seen.set(JSON.stringify(to), to);
    }
  }
  return steps;
}

/** The effects with which each state is met. */
export function effectsOfStates(steps: readonly Step[]): Map<State, Effect[]> {
  const met = new Map<State, Set<Effect>>();
  for (const { from } of steps) met.set(from.state, (met.get(from.state) ?? new Set()).add(from.effect));
  return new Map([...met].map(([state, its]) => [state, effects.filter((effect) => its.has(effect))]));
}

function* eventsOn({ attempts }: Life): Generator<readonly [Happening, Event]> {
  for (const pastExpiry of [false, true]) {
    for (const acknowledged of [false, true]) yield ['claim', { type: 'claim', acknowledged, pastExpiry }];
    yield ['expiry', { type: 'expire', pastExpiry }];
    yield ['amend', { type: 'amend', pastExpiry }];
    yield ['not landed', { type: 'not-landed', pastExpiry }];
    // An attempt is answered once: on time, or after it was taken for unanswered.
    for (const { number, outcome } of attempts.filter(
      (each) => each.outcome === 'OPEN' || each.outcome === 'NO_ANSWER',
    )) {
      for (const answer of answers) {
        const happening = outcome === 'OPEN' ? onTime[answer.kind] : late(answer);
        yield [happening, { type: 'answer', attempt: number, answer, pastExpiry }];
      }
    }
  }
  for (const { number } of attempts) yield ['silence', { type: 'lease-over', attempt: number }];
  yield ['reject', { type: 'reject' }];
  yield ['recheck differs', { type: 'differs' }];
  yield ['landed', { type: 'landed' }];
}

const error: ActionableError = { code: 'REFUSED', message: '', effect: 'NONE', retryable: false };

const answers: readonly Answer[] = [
  { kind: 'succeeded', result: '{}' },
  ...effects.map((effect) => ({ kind: 'refused', effect, error }) as const),
  { kind: 'failed', effect: 'NONE', error },
  { kind: 'failed', effect: 'UNKNOWN', error },
  { kind: 'no-answer', error },
];

const onTime: Record<Answer['kind'], Happening> = {
  succeeded: 'answer: success',
  refused: 'answer: refusal',
  failed: 'answer: failure',
  'no-answer': 'silence',
};

/** A refusal can say that the write took effect all the same. */
function late(answer: Answer): Happening {
  const landed = answer.kind === 'succeeded' || (answer.kind === 'refused' && answer.effect === 'APPLIED');
  return landed ? 'late answer: it landed' : 'late answer: anything else';
}

/** What the store would hold then: a claim opens an attempt. */
function after(from: Life, { type }: Event, answer: Transition): Life | undefined {
  if (answer.kind !== 'moved') return undefined;
  const attempts = from.attempts.map((each) => ({
    ...each,
    ...answer.attempts.find(({ number }) => number === each.number),
  }));
  const opened = { number: attempts.length + 1, outcome: 'OPEN', effect: 'UNKNOWN' } as const;
  return {
    state: answer.state,
    effect: answer.effect,
    attempts: type === 'claim' ? [...attempts, opened] : attempts,
  };
}
