/** What must hold in every state, and across every step. Each text begins with the invariant's number. */
import {
  A_APP,
  A_N,
  A_SIZE,
  A_ST,
  ABSENT,
  APPLIED,
  at,
  attemptAt,
  effectNames,
  FAILED,
  INDETERMINATE,
  NONE,
  PENDING,
  R_NOANSWER,
  REFUSED,
  type Setting,
  SUCCEEDED,
  stateNames,
  T_EFF,
  T_REC,
  UNKNOWN,
} from './layout.ts';
import type { Draft } from './moves.ts';
import { anyCanStill, effectOf, hasOpen } from './reading.ts';

export function checkState(m: Setting, { s, violations }: Draft): void {
  for (let a = 0; a < m.world.actions; a++) {
    const o = a * A_SIZE;
    const state = at(s, o + A_ST);
    if (state === ABSENT || hasOpen(s, a)) continue;
    const effect = effectOf(s, a);
    const applied = at(s, o + A_APP) > 0;
    if (state === SUCCEEDED && !applied) violations.push('I4 SUCCEEDED, and nothing was applied');
    if (effect === APPLIED && !applied) violations.push('I4 effect APPLIED, and nothing was applied');
    if (state === SUCCEEDED && effect !== APPLIED) violations.push('I4 SUCCEEDED without effect APPLIED');
    if (effect === NONE && applied) violations.push('I4 effect NONE, and it was applied');
    else if (effect === NONE && anyCanStill(m, s, a)) {
      violations.push('I4 effect NONE, and a delayed request can still apply it');
    }
    const t = attemptAt(a, at(s, o + A_N) - 1);
    if (state === REFUSED && at(s, t + T_REC) === R_NOANSWER && at(s, t + T_EFF) === UNKNOWN) {
      violations.push("I12 REFUSED on an older attempt's word, while the newest attempt is unanswered");
    }
    if (effect === APPLIED && (state === PENDING || state === INDETERMINATE)) {
      violations.push(
        `I8 effect APPLIED is known, and the action is still ${stateNames[state]} (may be dispatched again)`,
      );
    }
  }
}

/** `claims`: the action that the step claims, or -1. */
export function checkChange(m: Setting, before: Uint8Array, { s, violations }: Draft, claims: number): void {
  for (let a = 0; a < m.world.actions; a++) {
    const o = a * A_SIZE;
    const from = at(before, o + A_ST);
    const to = at(s, o + A_ST);
    if (from === ABSENT || a === claims || hasOpen(before, a)) continue;
    const was = effectOf(before, a);
    const is = effectOf(s, a);
    if (was !== is && was !== UNKNOWN) {
      violations.push(
        `I7 the record said effect ${effectNames[was]} and now says ${effectNames[is]}, without a new attempt`,
      );
    }
    if (from !== to && from >= SUCCEEDED && !(from === FAILED && to === SUCCEEDED)) {
      violations.push(`I7 terminal ${stateNames[from]} became ${stateNames[to]}`);
    }
  }
}
