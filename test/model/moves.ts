/** The writes of the model: a claim, a settlement, what a probe or a person says. */
import {
  A_EXP,
  A_N,
  A_SIZE,
  A_ST,
  ABSENT,
  APPLIED,
  at,
  attemptAt,
  E500,
  EXECUTING,
  FAILED,
  INDETERMINATE,
  NOANSWER,
  NONE,
  NOTAPPLIED,
  OK,
  OPEN,
  P_A,
  P_PC,
  P_SIZE,
  PENDING,
  PRECONDITION_FAILED,
  R_500,
  R_NOANSWER,
  R_OK,
  R_REFUSED,
  R_RELEASED,
  REFUSE,
  REFUSE_A,
  REFUSE_U,
  REFUSED,
  S_A,
  S_PC,
  S_SIZE,
  type Setting,
  SUCCEEDED,
  T_EFF,
  T_PC,
  T_REC,
  T_SIZE,
  UNKNOWN,
  W_CLAIMED,
} from './layout.ts';
import { allowed, anyCanStill, appliedBeside, effectOf, hasOpen, inDoubt, unanswered, used } from './reading.ts';

/** A state being changed by one step, and what the step breaks. */
export interface Draft {
  readonly s: Uint8Array;
  readonly violations: string[];
}

export function setState({ s }: Draft, a: number, state: number): void {
  s[a * A_SIZE + A_ST] = state;
}

/** Every transition bumps the version: whoever read the old one has lost. */
export function bump(m: Setting, { s }: Draft, a: number): void {
  for (let k = 0; k < 2; k++) {
    const o = m.slots + k * S_SIZE;
    if (at(s, o + S_PC) >= 2 && at(s, o + S_A) === a) s.fill(0, o, o + S_SIZE);
  }
  if (at(s, m.prober + P_PC) && at(s, m.prober + P_A) === a) s.fill(0, m.prober, m.prober + P_SIZE);
}

/** What the approver knew and said. */
export interface Confirm {
  readonly acknowledged: boolean;
  /** Attempts used when the person decided. */
  readonly seen: number;
  /** Sends `seen` as expected_attempts. */
  readonly expects: boolean;
  /** Has claimed before under the same key. */
  readonly repeated: boolean;
}

/** A new attempt: the one conditional UPDATE. */
export function claim(m: Setting, d: Draft, a: number, { acknowledged, seen, expects, repeated }: Confirm): void {
  const { s, violations } = d;
  const o = a * A_SIZE;
  const n = at(s, o + A_N);
  if (hasOpen(s, a)) violations.push('I1 second open attempt');
  if (expects && n > seen) violations.push('I2a a repeat with an older expected_attempts claimed');
  if (repeated) violations.push('I2b one confirm (same key), delivered twice, made two attempts');
  if (!expects && !repeated && n > seen) {
    violations.push('I2c a bare confirm sent before an attempt was made, claimed the next one');
  }
  if (at(s, o + A_EXP)) violations.push('I9 claim past expiry');
  if (!acknowledged && unanswered(s, a, -1)) {
    violations.push('I10 an unanswered attempt in doubt was followed by another without acknowledgement');
  }
  for (let b = 0; b < m.world.actions; b++) {
    if (b === a || at(s, b * A_SIZE + A_ST) === ABSENT) continue;
    if (effectOf(s, b) === UNKNOWN || hasOpen(s, b)) {
      violations.push('I6 another action of the intent was claimed while one is in doubt');
    } else if (anyCanStill(m, s, b)) {
      violations.push(
        'I6b another action of the intent was claimed while a delayed request of the first can still apply',
      );
    }
  }
  const t = attemptAt(a, n);
  s.fill(0, t, t + T_SIZE);
  s[t + T_REC] = OPEN;
  s[t + T_PC] = W_CLAIMED;
  s[o + A_N] = n + 1;
  setState(d, a, EXECUTING);
  bump(m, d, a);
}

function isRefusal(answer: number): boolean {
  return answer === REFUSE || answer === REFUSE_U || answer === REFUSE_A;
}

function recordOf(answer: number): number {
  if (answer === OK) return R_OK;
  if (isRefusal(answer)) return R_REFUSED;
  if (answer === NOTAPPLIED) return R_RELEASED;
  return answer === E500 ? R_500 : R_NOANSWER;
}

/** The two ways to release are told alike, as a failure; what tells them apart is the effect. */
function toldAlike(a: number, b: number): boolean {
  const failed = (record: number) => record === R_RELEASED || record === R_500;
  return a === b || (failed(a) && failed(b));
}

/** Does the attempt's record say all of a late answer already? */
function isKnown(s: Uint8Array, t: number, answer: number, effect: number): boolean {
  const raises = effect === APPLIED && at(s, t + T_EFF) !== APPLIED;
  const clears = effect === NONE && at(s, t + T_EFF) === UNKNOWN;
  return (answer === NOANSWER || toldAlike(recordOf(answer), at(s, t + T_REC))) && !raises && !clears;
}

/**
 * DESIGN §4's table and rule 3: an answer, on time or late, is recorded on its attempt and moves the action. One that is there
 * already moves nothing: a repeated settlement does not undo what was learned since.
 */
export function settle(m: Setting, d: Draft, a: number, i: number, answer: number): void {
  const { s, violations } = d;
  const { rules } = m;
  const o = a * A_SIZE;
  const t = attemptAt(a, i);
  const state = at(s, o + A_ST);
  const n = at(s, o + A_N);
  const landed = answer === OK || answer === REFUSE_A;
  const effect = landed ? APPLIED : answer === REFUSE || answer === NOTAPPLIED ? NONE : UNKNOWN;
  const record = recordOf(answer);
  const onTime = at(s, t + T_REC) === OPEN;
  if (!onTime && isKnown(s, t, answer, effect)) return;
  const wasInDoubt = effectOf(s, a) === UNKNOWN;
  const before = [state, at(s, t + T_REC), at(s, t + T_EFF)];
  if (onTime) {
    s[t + T_REC] = record;
    s[t + T_EFF] = effect;
  } else {
    if (answer !== NOANSWER) s[t + T_REC] = record;
    if (effect === APPLIED || (effect === NONE && at(s, t + T_EFF) === UNKNOWN)) s[t + T_EFF] = effect;
    if (answer === OK && at(s, t + T_EFF) !== APPLIED) violations.push('I8 a late success was dropped');
  }
  // a refusal that says APPLIED is told as the refusal it is; only another attempt's effect is a success
  const applied = answer === OK || appliedBeside(s, a, i);
  const released = (): number => {
    if (n >= allowed(m, a)) return FAILED;
    return rules.releaseInDoubt === 'indeterminate' && unanswered(s, a, i) ? INDETERMINATE : PENDING;
  };
  const byAnswer = (): number => {
    if (applied) return SUCCEEDED;
    if (isRefusal(answer)) return REFUSED;
    return answer === NOTAPPLIED || answer === E500 ? released() : INDETERMINATE;
  };
  if (onTime) {
    // the table's own cell for "no answer": INDETERMINATE, whatever an earlier attempt is known to have done
    const literally = answer === NOANSWER && applied && rules.noAnswerAfterApplied === 'indeterminate';
    setState(d, a, literally ? INDETERMINATE : byAnswer());
  } else if (state === INDETERMINATE && answer === REFUSE_A && i === n - 1) {
    setState(d, a, byAnswer());
  } else if (effect === APPLIED) {
    if (state === INDETERMINATE || state === PENDING || (state === FAILED && wasInDoubt)) setState(d, a, SUCCEEDED);
  } else if (state === INDETERMINATE && answer !== NOANSWER && (rules.lateMoves === 'any-attempt' || i === n - 1)) {
    setState(d, a, byAnswer());
  } else if (state === INDETERMINATE && rules.lateMoves === 'latest-or-last-doubt' && effectOf(s, a) === NONE) {
    setState(d, a, n < allowed(m, a) && !at(s, o + A_EXP) ? PENDING : FAILED); // the last doubt is gone: as "not landed"
  }
  if (before[0] !== at(s, o + A_ST) || before[1] !== at(s, t + T_REC) || before[2] !== at(s, t + T_EFF)) bump(m, d, a);
}

/** Does the record leave room for that word of a probe or a person? */
export function mayResolve(s: Uint8Array, a: number, landed: boolean): boolean {
  if (at(s, a * A_SIZE + A_ST) === EXECUTING) return false;
  return inDoubt(s, a) || (landed && used(s, a) > 0 && effectOf(s, a) !== APPLIED);
}

/** The world turns out to be otherwise than it was at the stage. */
export function differ(m: Setting, d: Draft, a: number): void {
  if (at(d.s, a * A_SIZE + A_ST) !== PENDING) return; // INDETERMINATE stays so
  setState(d, a, effectOf(d.s, a) === UNKNOWN ? INDETERMINATE : PRECONDITION_FAILED);
  bump(m, d, a);
}

/** May a new action take its place? */
export function mayAmend(m: Setting, s: Uint8Array, a: number): boolean {
  const o = a * A_SIZE;
  if (at(s, o + A_ST) !== PENDING || at(s, o + A_EXP)) return false;
  return m.rules.amendInDoubt === 'allowed' || effectOf(s, a) !== UNKNOWN;
}

/**
 * The probe or a person says landed, or not. "Landed" is about the newest attempt in doubt, or else about the newest, unless
 * the effect is known already; "not landed" is about every attempt in doubt.
 */
export function resolve(m: Setting, d: Draft, a: number, landed: boolean): void {
  const { s } = d;
  const o = a * A_SIZE;
  const state = at(s, o + A_ST);
  const n = used(s, a);
  const was = effectOf(s, a);
  if (!mayResolve(s, a, landed)) return;
  if (landed) {
    let last = n - 1;
    if (inDoubt(s, a)) while (at(s, attemptAt(a, last) + T_EFF) !== UNKNOWN) last--;
    s[attemptAt(a, last) + T_EFF] = APPLIED;
    if (state === INDETERMINATE || state === PENDING || (state === FAILED && was === UNKNOWN))
      setState(d, a, SUCCEEDED);
  } else {
    for (let i = 0; i < n; i++) {
      const t = attemptAt(a, i);
      if (at(s, t + T_EFF) === UNKNOWN) s[t + T_EFF] = NONE;
    }
    if (state === INDETERMINATE) setState(d, a, n < allowed(m, a) && !at(s, o + A_EXP) ? PENDING : FAILED);
  }
  bump(m, d, a);
}
