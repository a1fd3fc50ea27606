/**
 * One intent's life under DESIGN §2, as an explicit state machine; the oracle of the tests of the real one.
 *
 * Granularity: one step is one committed database statement, one message, one local decision of a worker, one look of a
 * person, or one tick of the clock.
 *
 * Reductions, all exact:
 *  - A request that read version v and is guarded by v can only win while v stands. So when the version is bumped, every
 *    request that has read it is dropped at once ("lost, only reports").
 *  - Guarded read+write pairs with nothing observed in between are one step (reject, amend, expire).
 *  - An answer on its way back and an answer in the worker's hand are one thing: it may be settled at any later time, or
 *    get lost.
 *  - An attempt of which nothing can move any more has its age set to the last instant, and its record forgotten.
 *  - The two approvers are interchangeable, so their slots are sorted.
 *
 * Time is per attempt, counted from its claim (older attempts are never younger than newer ones):
 *   0 fresh: within 10 s of the claim        1 later, before the deadline
 *   2 after the timeout / deadline           3 after the lease (timeout + 30 s)
 *   4 after deadline + 30 s (a vendor of kind A with a skewed clock may still accept at 2 and 3)
 * An action's expiry is one flag that may come true at any time.
 */
import { checkChange, checkState } from './invariants.ts';
import {
  A_EXP,
  A_N,
  A_SIZE,
  A_SNAP,
  A_ST,
  ABSENT,
  at,
  attemptAt,
  createSetting,
  N_DONE,
  N_NONE,
  OPEN,
  PENDING,
  R_OK,
  REJECTED,
  S_SIZE,
  type Setting,
  SUCCEEDED,
  T_AGE,
  T_EFF,
  T_FL,
  T_NET,
  T_PC,
  T_REC,
  UNKNOWN,
  W_GONE,
} from './layout.ts';
import type { Draft } from './moves.ts';
import { approverSteps, endingSteps, lookSteps, type Offer, probeSteps, timeSteps } from './steps-around.ts';
import { attemptSteps } from './steps-of-attempts.ts';
import { messageSteps } from './steps-of-messages.ts';
import type { Rules, World } from './world.ts';

/** One step from a state. */
export interface Step {
  readonly label: number;
  readonly next: Uint8Array;
  /** `next` before the reductions: with what the step wrote on its attempt. */
  readonly written: Uint8Array;
  /** It happens sooner or later if it stays possible. */
  readonly fair: boolean;
  readonly violations: readonly string[];
}

export interface Model {
  readonly setting: Setting;
  initial(): Uint8Array;
  successors(state: Uint8Array, take: (step: Step) => void): void;
}

/** `keepRecords`: do not forget the records of attempts that nothing can move any more (more states, same life). */
export function createModel(rules: Rules, world: World, { keepRecords = false } = {}): Model {
  const m = createSetting(rules, world);
  return {
    setting: m,
    initial() {
      const s = new Uint8Array(m.size);
      s[A_ST] = PENDING;
      return s;
    },
    successors(cur, take) {
      const offer: Offer = (label, fair, change, claims = -1) => {
        const draft: Draft = { s: cur.slice(), violations: [] };
        change(draft);
        const written = draft.s.slice();
        reduce(m, draft.s, keepRecords);
        checkState(m, draft);
        checkChange(m, cur, draft, claims);
        take({ label, next: draft.s, written, fair, violations: draft.violations });
      };
      for (let a = 0; a < world.actions; a++) {
        if (at(cur, a * A_SIZE + A_ST) === ABSENT) continue;
        timeSteps(m, cur, a, offer);
        endingSteps(m, cur, a, offer);
        probeSteps(m, cur, a, offer);
        lookSteps(m, cur, a, offer);
        approverSteps(m, cur, a, offer);
        attemptSteps(m, cur, a, offer);
      }
      messageSteps(m, cur, offer);
    },
  };
}

function reduce(m: Setting, s: Uint8Array, keepRecords: boolean): void {
  for (let a = 0; a < m.world.actions; a++) {
    const o = a * A_SIZE;
    const state = at(s, o + A_ST);
    if (state >= SUCCEEDED && state !== REJECTED) s[o + A_EXP] = 1;
    if (state >= SUCCEEDED) s[o + A_SNAP] = 0;
    for (let i = 0; i < at(s, o + A_N); i++) {
      const t = attemptAt(a, i);
      const net = at(s, t + T_NET);
      const moves = at(s, t + T_REC) === OPEN || at(s, t + T_PC) !== W_GONE || (net !== N_NONE && net !== N_DONE);
      if (moves) continue;
      s[t + T_NET] = N_DONE;
      s[t + T_FL] = 0;
      if (at(s, t + T_EFF) === UNKNOWN) continue;
      s[t + T_AGE] = 4;
      if (!keepRecords) s[t + T_REC] = R_OK;
    }
  }
  sortSlots(m, s);
}

function sortSlots(m: Setting, s: Uint8Array): void {
  const first = s.subarray(m.slots, m.slots + S_SIZE);
  const second = s.subarray(m.slots + S_SIZE, m.slots + 2 * S_SIZE);
  const differs = first.findIndex((value, k) => value !== second[k]);
  if (differs < 0 || at(first, differs) > at(second, differs)) return;
  const kept = first.slice();
  first.set(second);
  second.set(kept);
}
