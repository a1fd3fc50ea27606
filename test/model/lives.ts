/**
 * Every life of one action that claims, answers (on time and late, in any order, for any attempt), silences and expiries
 * can make: more than can happen, since here an answer may come at any time, and a second one after the first.
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
  T_PC,
  T_REC,
  W_GONE,
} from './layout.ts';
import { answerOf, isPastExpiry } from './life.ts';
import { claim, type Draft, setState, settle } from './moves.ts';
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
  /** The attempt that the event is about. */
  readonly attempt: number | null;
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
  const state = at(before, A_ST);
  const n = used(before, 0);
  const after = (change: (draft: Draft) => void): Uint8Array => {
    const draft = { s: before.slice(), violations: [] };
    change(draft);
    return draft.s;
  };
  for (const acknowledged of [false, true]) {
    const open = state === PENDING || (state === INDETERMINATE && acknowledged && n < allowed(setting, 0));
    const claimed = (): Uint8Array =>
      after((d) => {
        claim(setting, d, 0, { acknowledged, seen: n, expects: true, repeated: false });
        d.s[attemptAt(0, n) + T_PC] = W_GONE; // where its worker is does not matter here
      });
    const event: Event = { type: 'claim', acknowledged, pastExpiry };
    yield { before, event, after: open && !pastExpiry ? claimed() : undefined, attempt: null };
  }
  const expired = (): Uint8Array => after((d) => setState(d, 0, EXPIRED));
  const expires = state === PENDING && pastExpiry;
  yield { before, event: { type: 'expire', pastExpiry }, after: expires ? expired() : undefined, attempt: null };
  for (let i = 0; i < 3; i++) {
    const exists = i < n;
    const isOpen = exists && at(before, attemptAt(0, i) + T_REC) === OPEN;
    const silenced = isOpen ? after((d) => settle(setting, d, 0, i, NOANSWER)) : undefined;
    yield { before, event: { type: 'lease-over', attempt: i + 1 }, after: silenced, attempt: i + 1 };
    for (const code of answers) {
      const event: Event = { type: 'answer', attempt: i + 1, answer: answerOf(code), pastExpiry };
      const answered = exists ? after((d) => settle(setting, d, 0, i, code)) : undefined;
      yield { before, event, after: answered, attempt: i + 1 };
    }
  }
}
