import { describe, expect, test } from 'vitest';
import type { Event, Transition } from '../../server/domain/transition.ts';
import { effectOf, transition } from '../../server/domain/transition.ts';
import { compare, describeDifference, modelTransition } from '../model/compare.ts';
import { explore } from '../model/explore.ts';
import { readLabel } from '../model/labels.ts';
import { eventOf, lifeOf } from '../model/life.ts';
import { everyCase } from '../model/lives.ts';
import { createModel } from '../model/model.ts';
import { mended, smallWorld } from '../model/world.ts';

type Table = typeof transition;

/** Every event on every life that any order of claims, answers, silences and expiries can make of three attempts. */
function differences(table: Table): string[] {
  const found: string[] = [];
  for (const { before, event, after, attempt } of everyCase()) {
    const model: Transition = after ? modelTransition(before, after, 0, attempt) : { kind: 'refused' };
    const difference = compare(table, lifeOf(before, 0), event, model);
    if (difference) found.push(describeDifference(difference));
  }
  return found;
}

describe('the transition table', () => {
  test('agrees with the model on every event in every life of up to three attempts', () => {
    expect(differences(transition)).toEqual([]);
  });

  test('is asked about more than a handful of lives, and every cell of every state is', () => {
    const lives = new Set<string>();
    const cells = new Set<string>();
    for (const { before, event } of everyCase()) {
      const life = lifeOf(before, 0);
      lives.add(JSON.stringify(life));
      cells.add(`${life.state} ${event.type}`);
    }
    expect(lives.size).toBeGreaterThan(1000);
    expect(cells.size).toBe(7 * 4);
  });

  test("agrees with every step that the model's own world takes: delays, crashes, late answers, repeated settlements", () => {
    const found = new Set<string>();
    const seen = new Set<string>();
    const world = { ...smallWorld, attempts: 3, probe: false, person: 'no', redeliver: false } as const;
    explore(createModel(mended, world), {
      liveness: false,
      visit: (from, { label, written }) => {
        const event = eventOf(label, from);
        if (event === undefined) return;
        const { a } = readLabel(label);
        const life = lifeOf(from, a);
        const model = modelTransition(from, written, a, 'attempt' in event ? event.attempt : null);
        const key = JSON.stringify([life, event, model]);
        if (seen.has(key)) return;
        seen.add(key);
        const difference = compare(transition, life, event, model);
        if (difference) found.add(describeDifference(difference));
      },
    });
    expect([...found]).toEqual([]);
    expect(seen.size).toBeGreaterThan(300);
  }, 60_000);
});

/** Tables that break one rule each; the comparison above is worth something only if it catches every one. */
const wrongTables: Record<string, Table> = {
  'a claim past expiry': (life, event) =>
    transition(life, event.type === 'claim' ? { ...event, pastExpiry: false } : event),
  'a claim in doubt without acknowledgement': (life, event) =>
    transition(life, event.type === 'claim' ? { ...event, acknowledged: true } : event),
  'a fourth attempt': (life, event) =>
    event.type === 'claim'
      ? transition({ ...life, attempts: life.attempts.slice(0, 2) }, event)
      : transition(life, event),
  'a 500 that counts as not applied': (life, event) => {
    const failed = event.type === 'answer' && event.answer.kind === 'failed' ? event.answer : undefined;
    if (event.type !== 'answer' || failed === undefined) return transition(life, event);
    const mistaken: Event = { ...event, answer: { ...failed, effect: 'NONE' } };
    return transition(life, mistaken);
  },
  'a refusal that clears an earlier doubt': (life, event) =>
    patch(life, event, (to) => (to.state === 'REFUSED' ? { ...to, effect: 'NONE' } : to)),
  'a release while an unanswered attempt is in doubt': (life, event) =>
    patch(life, event, (to) =>
      to.state === 'INDETERMINATE' && to.attempts[0]?.outcome === 'FAILED' ? { ...to, state: 'PENDING' } : to,
    ),
  'a third failure that is released': (life, event) =>
    patch(life, event, (to) => (to.state === 'FAILED' ? { ...to, state: 'PENDING' } : to)),
  'silence that hides a success': (life, event) =>
    patch(life, event, (to) => (event.type === 'lease-over' ? { ...to, state: 'INDETERMINATE' } : to)),
  'a late success that is dropped': (life, event) =>
    patch(life, event, (to) =>
      life.state !== 'EXECUTING' && to.state === 'SUCCEEDED' ? { ...to, state: life.state } : to,
    ),
  'a late success that revives a refused action': (life, event) =>
    patch(life, event, (to) =>
      to.state === 'REFUSED' && to.effect === 'APPLIED' ? { ...to, state: 'SUCCEEDED' } : to,
    ),
  "an older attempt's late refusal that settles": (life, event) =>
    patch(life, event, (to) =>
      life.state === 'INDETERMINATE' && to.attempts[0]?.outcome === 'REFUSED' ? { ...to, state: 'REFUSED' } : to,
    ),
  'a last doubt that goes, and leaves the action stuck': (life, event) =>
    patch(life, event, (to) =>
      life.state === 'INDETERMINATE' && to.effect === 'NONE' ? { ...to, state: 'INDETERMINATE' } : to,
    ),
  'an expiry that forgets the doubt': (life, event) =>
    patch(life, event, (to) => (event.type === 'expire' ? { ...to, effect: 'NONE' } : to)),
  'a repeated settlement that counts as a change': (life, event) => {
    const answer = transition(life, event);
    return answer.kind === 'unchanged'
      ? { kind: 'moved', state: life.state, effect: effectOf(life.attempts), attempts: [] }
      : answer;
  },
};

function patch(
  life: Parameters<Table>[0],
  event: Event,
  change: (to: Extract<Transition, { kind: 'moved' }>) => Transition,
): Transition {
  const answer = transition(life, event);
  return answer.kind === 'moved' ? change(answer) : answer;
}

describe('a table that breaks one rule is told apart from the model', () => {
  test.each(Object.keys(wrongTables))('%s', (name) => {
    expect(differences(wrongTables[name] ?? transition).length).toBeGreaterThan(0);
  });
});
