/**
 * Every life of one action that its events can make, in any order: claims, answers (on time and late, for any attempt),
 * silences, expiries, rejections, amendments, changes of the world, and what probes and people say. More than can happen,
 * since here an answer may come at any time, a second one after the first, and a probe or a person may say anything.
 */
import type { Event } from '../../server/domain/transition.ts';
import {
  A_EXP,
  A_ST,
  at,
  attemptAt,
  createSetting,
  E500,
  EXPIRED,
  INDETERMINATE,
  NOANSWER,
  NOTAPPLIED,
  OK,
  OPEN,
  PENDING,
  REFUSE,
  REFUSE_A,
  REFUSE_U,
  REJECTED,
  SUPERSEDED,
  T_PC,
  T_REC,
  W_GONE,
} from './layout.ts';
import { answerOf, isPastExpiry } from './life.ts';
import { claim, type Draft, differ, mayAmend, mayResolve, resolve, setState, settle } from './moves.ts';
import { allowed, used } from './reading.ts';
import { createStateSet } from './state-set.ts';
import { mended, smallWorld } from './world.ts';

const setting = createSetting(mended, { ...smallWorld, attempts: 3 });
const answers = [OK, REFUSE, REFUSE_U, REFUSE_A, NOTAPPLIED, E500, NOANSWER];

/** An event, and what the model makes of it; `after` is undefined where it has no such step. */
export interface Case {
  readonly before: Uint8Array;
  readonly event: Event;
  readonly after: Uint8Array | undefined;
}

export function* everyCase(): Generator<Case> {
  const lives = createStateSet(setting.size);
  const first = new Uint8Array(setting.size);
  first[A_ST] = PENDING;
  lives.add(first);
  for (let id = 0; id < lives.count(); id++) {
    const before = lives.get(id).slice();
    if (!at(before, A_EXP)) {
      const later = before.slice();
      later[A_EXP] = 1;
      lives.add(later);
    }
    for (const each of casesOf(before)) {
      if (each.after !== undefined) lives.add(each.after);
      yield each;
    }
  }
}

function* casesOf(before: Uint8Array): Generator<Case> {
  const pastExpiry = isPastExpiry(before, 0);
  const isPending = at(before, A_ST) === PENDING;
  const after = (change: (draft: Draft) => void): Uint8Array => {
    const draft = { s: before.slice(), violations: [] };
    change(draft);
    return draft.s;
  };
  const becomes = (state: number): Uint8Array => after((d) => setState(d, 0, state));
  /** The model has this step if `possible`. */
  const when = (possible: boolean, event: Event, made: () => Uint8Array): Case => {
    return { before, event, after: possible ? made() : undefined };
  };
  yield* claimCases(before, after);
  yield* answerCases(before, after);
  yield when(isPending && pastExpiry, { type: 'expire', pastExpiry }, () => becomes(EXPIRED));
  yield when(isPending, { type: 'reject' }, () => becomes(REJECTED));
  yield when(mayAmend(setting, before, 0), { type: 'amend', pastExpiry }, () => becomes(SUPERSEDED));
  const waits = isPending || at(before, A_ST) === INDETERMINATE;
  yield when(waits, { type: 'differs' }, () => after((d) => differ(setting, d, 0)));
  for (const event of [{ type: 'landed' }, { type: 'not-landed', pastExpiry }] as const) {
    const landed = event.type === 'landed';
    yield when(mayResolve(before, 0, landed), event, () => after((d) => resolve(setting, d, 0, landed)));
  }
}

type Make = (change: (draft: Draft) => void) => Uint8Array;

function* claimCases(before: Uint8Array, after: Make): Generator<Case> {
  const pastExpiry = isPastExpiry(before, 0);
  const state = at(before, A_ST);
  const n = used(before, 0);
  for (const acknowledged of [false, true]) {
    const open = state === PENDING || (state === INDETERMINATE && acknowledged && n < allowed(setting, 0));
    const claimed = (): Uint8Array =>
      after((d) => {
        claim(setting, d, 0, { acknowledged, seen: n, expects: true, repeated: false });
        d.s[attemptAt(0, n) + T_PC] = W_GONE; // where its worker is does not matter here
      });
    const event: Event = { type: 'claim', acknowledged, pastExpiry };
    yield { before, event, after: open && !pastExpiry ? claimed() : undefined };
  }
}

function* answerCases(before: Uint8Array, after: Make): Generator<Case> {
  const pastExpiry = isPastExpiry(before, 0);
  for (let i = 0; i < 3; i++) {
    const exists = i < used(before, 0);
    const isOpen = exists && at(before, attemptAt(0, i) + T_REC) === OPEN;
    const silenced = isOpen ? after((d) => settle(setting, d, 0, i, NOANSWER)) : undefined;
    yield { before, event: { type: 'lease-over', attempt: i + 1 }, after: silenced };
    for (const code of answers) {
      const event: Event = { type: 'answer', attempt: i + 1, answer: answerOf(code), pastExpiry };
      const answered = exists ? after((d) => settle(setting, d, 0, i, code)) : undefined;
      yield { before, event, after: answered };
    }
  }
}
