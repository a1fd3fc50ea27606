import { describe, expect, test } from 'vitest';
import { attemptsInDoubt, states } from '../../server/domain/action.ts';
import type { Event, Transition } from '../../server/domain/transition.ts';
import { effectOf, transition } from '../../server/domain/transition.ts';
import { compare, describeDifference, modelTransition } from '../model/compare.ts';
import { readLabel } from '../model/labels.ts';
import { eventOf, lifeOf } from '../model/life.ts';
import { everyCase } from '../model/lives.ts';
import { createModel, type Step } from '../model/model.ts';
import { wander } from '../model/wander.ts';
import { mended, smallWorld, type World } from '../model/world.ts';

type Table = typeof transition;

/** Every event on every life that any order of events can make of three attempts, with what the model makes of it. */
const cases = [...everyCase()].map(({ before, event, after }) => ({
  life: lifeOf(before, 0),
  event,
  model: after ? modelTransition(before, after, 0, event) : ({ kind: 'refused' } as const),
}));

function differences(table: Table): string[] {
  const found: string[] = [];
  for (const { life, event, model } of cases) {
    const difference = compare(table, life, event, model);
    if (difference) found.push(describeDifference(difference));
  }
  return found;
}

const everybody: World = {
  ...smallWorld,
  ...{ kind: 'B', attempts: 3, actions: 2, approvers: 2 },
  ...{ precondition: true, reject: true, amend: true, restage: true },
  ...{ settleAckLost: true, refuseUnknown: true },
};

describe('the transition table', () => {
  test('agrees with the model on every event in every life of up to three attempts', () => {
    expect(differences(transition)).toEqual([]);
  });

  test('is asked about more than a handful of lives, and every cell of every state is', () => {
    expect(new Set(cases.map(({ life }) => JSON.stringify(life))).size).toBeGreaterThan(1000);
    const cells = new Set(cases.map(({ life, event }) => `${life.state} ${event.type}`));
    expect(cells.size).toBe(states.length * 9);
  });

  test("agrees with the steps of the model's own worlds: delays, crashes, late answers, probes, people, amendments", () => {
    const found = new Set<string>();
    const seen = new Set<string>();
    const events = new Set<string>();
    const visit = (from: Uint8Array, { label, written }: Step): void => {
      const event = eventOf(label, from);
      if (event === undefined) return;
      const { a } = readLabel(label);
      const life = lifeOf(from, a);
      const model = modelTransition(from, written, a, event);
      const key = JSON.stringify([life, event, model]);
      if (seen.has(key)) return;
      seen.add(key);
      events.add(event.type);
      const difference = compare(transition, life, event, model);
      if (difference) found.add(describeDifference(difference));
    };
    wander(createModel(mended, everybody), { walks: 2_000, length: 60, seed: 1, visit });
    expect([...found]).toEqual([]);
    expect(seen.size).toBeGreaterThan(300);
    expect(events.size).toBe(9);
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
  'a rejection of what is INDETERMINATE': (life, event) =>
    event.type === 'reject' && life.state === 'INDETERMINATE' ? ends(life, 'REJECTED') : transition(life, event),
  'a rejection that forgets the doubt': (life, event) =>
    patch(life, event, (to) => (event.type === 'reject' ? { ...to, effect: 'NONE' } : to)),
  'a rejection of what is under way': (life, event) =>
    event.type === 'reject' && life.state === 'EXECUTING' ? ends(life, 'REJECTED') : transition(life, event),
  'an amendment in doubt': (life, event) =>
    event.type === 'amend' && life.state === 'PENDING' && !event.pastExpiry
      ? ends(life, 'SUPERSEDED')
      : transition(life, event),
  'an amendment past expiry': (life, event) =>
    transition(life, event.type === 'amend' ? { ...event, pastExpiry: false } : event),
  'an amendment of what is settled': (life, event) =>
    event.type === 'amend' && life.state === 'FAILED' ? ends(life, 'SUPERSEDED') : transition(life, event),
  'a changed world that settles although in doubt': (life, event) =>
    patch(life, event, (to) => (event.type === 'differs' ? { ...to, state: 'PRECONDITION_FAILED' } : to)),
  'a changed world that settles what is INDETERMINATE': (life, event) =>
    event.type === 'differs' && life.state === 'INDETERMINATE'
      ? ends(life, 'PRECONDITION_FAILED')
      : transition(life, event),
  '"not landed" that clears one doubt of several': (life, event) =>
    patch(life, event, (to) =>
      event.type === 'not-landed' && to.attempts.length > 1 ? { ...to, attempts: to.attempts.slice(-1) } : to,
    ),
  '"not landed" that leaves no time to look at the expiry': (life, event) =>
    transition(life, event.type === 'not-landed' ? { ...event, pastExpiry: false } : event),
  '"not landed" that settles what waits for a person': (life, event) =>
    patch(life, event, (to) =>
      event.type === 'not-landed' && life.state === 'PENDING' ? { ...to, state: 'FAILED' } : to,
    ),
  '"not landed" about what is under way': (life, event) =>
    event.type === 'not-landed' && life.state === 'EXECUTING' && attemptsInDoubt(life.attempts).length > 0
      ? ends({ ...life, effect: 'NONE' }, 'PENDING')
      : transition(life, event),
  '"landed" that revives what was rejected': (life, event) =>
    patch(life, event, (to) =>
      event.type === 'landed' && to.state === 'REJECTED' ? { ...to, state: 'SUCCEEDED' } : to,
    ),
  '"landed" that revives what had failed cleanly': (life, event) =>
    patch(life, event, (to) => (event.type === 'landed' && to.state === 'FAILED' ? { ...to, state: 'SUCCEEDED' } : to)),
  '"landed" that is not believed without a doubt': (life, event) =>
    event.type === 'landed' && attemptsInDoubt(life.attempts).length === 0
      ? { kind: 'refused' }
      : transition(life, event),
  '"landed" although nothing was tried': (life, event) =>
    event.type === 'landed' && life.state === 'PENDING' && life.attempts.length === 0
      ? ends({ ...life, effect: 'APPLIED' }, 'SUCCEEDED')
      : transition(life, event),
  '"landed" that is recorded on an older doubt': (life, event) =>
    patch(life, event, (to) => {
      const [oldest] = attemptsInDoubt(life.attempts);
      return event.type === 'landed' && oldest
        ? { ...to, attempts: [{ number: oldest.number, outcome: oldest.outcome, effect: 'APPLIED' }] }
        : to;
    }),
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

function ends({ effect }: Parameters<Table>[0], state: (typeof states)[number]): Transition {
  return { kind: 'moved', state, effect, attempts: [] };
}

describe('a table that breaks one rule is told apart from the model', () => {
  test.each(Object.keys(wrongTables))('%s', (name) => {
    expect(differences(wrongTables[name] ?? transition).length).toBeGreaterThan(0);
  });
});
