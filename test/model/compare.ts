/** Holds a transition table against the model, one event at a time. */
import { isDeepStrictEqual } from 'node:util';
import type { Event, Life, Transition, transition } from '../../server/domain/transition.ts';
import { effectTold, lifeOf } from './life.ts';

/** Where the table and the model part. */
export interface Difference {
  readonly life: Life;
  readonly event: Event;
  readonly model: Transition;
  readonly table: Transition;
}

/** What the model made of an event, said as a transition. */
export function modelTransition(before: Uint8Array, after: Uint8Array, a: number, event: Event): Transition {
  const from = lifeOf(before, a);
  const to = lifeOf(after, a);
  if (isDeepStrictEqual(from, to)) return { kind: 'unchanged' };
  // an answer is recorded on its attempt; what a probe or a person says, on those that it changes
  const attempts = to.attempts.filter((attempt, i) =>
    'attempt' in event
      ? attempt.number === event.attempt
      : i < from.attempts.length && !isDeepStrictEqual(attempt, from.attempts[i]),
  );
  return { kind: 'moved', state: to.state, effect: effectTold(after, a), attempts };
}

export function compare(table: typeof transition, life: Life, event: Event, model: Transition): Difference | undefined {
  const answer = table(life, event);
  return isDeepStrictEqual(answer, model) ? undefined : { life, event, model, table: answer };
}

/** One line per difference, for a failing test's message. */
export function describeDifference({ life, event, model, table }: Difference): string {
  const attempts = life.attempts.map(({ outcome, effect }) => `${outcome}/${effect}`).join(', ');
  return `${life.state}/${life.effect} [${attempts}] on ${JSON.stringify(event)}: model ${JSON.stringify(model)}, table ${JSON.stringify(table)}`;
}
