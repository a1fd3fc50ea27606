/** What can be read off a state. */
import {
  A_APP,
  A_EXP,
  A_N,
  A_SIZE,
  A_ST,
  ABSENT,
  APPLIED,
  at,
  attemptAt,
  EXECUTING,
  FL_BARRED,
  FL_FRESH,
  INDETERMINATE,
  N_FLIGHT,
  N_RUNNING,
  NONE,
  OPEN,
  PENDING,
  R_NOANSWER,
  REJECTED,
  type Setting,
  SUCCEEDED,
  T_AGE,
  T_EFF,
  T_FL,
  T_NET,
  T_PC,
  T_REC,
  UNKNOWN,
  W_CHECKED,
  W_CLAIMED,
} from './layout.ts';

/** Attempts that action `a` may make in its life. */
export function allowed({ world }: Setting, a: number): number {
  return a === 1 && world.attemptsSecond ? world.attemptsSecond : world.attempts;
}

/** Attempts that action `a` has used. */
export function used(s: Uint8Array, a: number): number {
  return at(s, a * A_SIZE + A_N);
}

/** How often the intent was applied in the world, by all its actions. */
export function timesApplied({ world }: Setting, s: Uint8Array): number {
  let times = 0;
  for (let a = 0; a < world.actions; a++) times += at(s, a * A_SIZE + A_APP);
  return times;
}

/** The most that any recorded attempt may have left behind. */
export function effectOf(s: Uint8Array, a: number): number {
  let most = NONE;
  for (let i = 0; i < used(s, a); i++) {
    const t = attemptAt(a, i);
    if (at(s, t + T_REC) !== OPEN && at(s, t + T_EFF) > most) most = at(s, t + T_EFF);
  }
  return most;
}

/** Is an attempt of it recorded, and what it left behind not known? There may be one beside a success. */
export function inDoubt(s: Uint8Array, a: number): boolean {
  for (let i = 0; i < used(s, a); i++) {
    const t = attemptAt(a, i);
    if (at(s, t + T_REC) !== OPEN && at(s, t + T_EFF) === UNKNOWN) return true;
  }
  return false;
}

export function hasOpen(s: Uint8Array, a: number): boolean {
  for (let i = 0; i < used(s, a); i++) if (at(s, attemptAt(a, i) + T_REC) === OPEN) return true;
  return false;
}

/** Is an attempt other than `except` unanswered and still in doubt? */
export function unanswered(s: Uint8Array, a: number, except: number): boolean {
  for (let i = 0; i < used(s, a); i++) {
    const t = attemptAt(a, i);
    if (i !== except && at(s, t + T_REC) === R_NOANSWER && at(s, t + T_EFF) === UNKNOWN) return true;
  }
  return false;
}

/** Is an attempt other than `except` known to be applied? */
export function appliedBeside(s: Uint8Array, a: number, except: number): boolean {
  for (let i = 0; i < used(s, a); i++) {
    const t = attemptAt(a, i);
    if (i !== except && at(s, t + T_REC) !== OPEN && at(s, t + T_EFF) === APPLIED) return true;
  }
  return false;
}

/** Have deadline + 30 s gone for all attempts in doubt? */
export function gatePassed(s: Uint8Array, a: number): boolean {
  for (let i = 0; i < used(s, a); i++) {
    const t = attemptAt(a, i);
    if (at(s, t + T_EFF) === UNKNOWN && at(s, t + T_AGE) < 4) return false;
  }
  return true;
}

/** Can a request of this attempt still change the world? */
function canStill({ rules, world }: Setting, s: Uint8Array, a: number, i: number): boolean {
  const { kind, freezeAfterCheck } = world;
  const t = attemptAt(a, i);
  if (kind !== 'C' && at(s, a * A_SIZE + A_APP) > 0) return false;
  if (at(s, t + T_FL) & FL_BARRED) return false;
  const age = at(s, t + T_AGE);
  const accepted = kind !== 'A' || age <= 3 || (at(s, t + T_FL) & FL_FRESH) > 0;
  const acceptedIfSentNow = kind !== 'A' || age <= 3 || rules.deadlineFrom === 'send';
  const pc = at(s, t + T_PC);
  const net = at(s, t + T_NET);
  const checksLate = rules.clockFrom === 'reply';
  if (pc === W_CLAIMED && (age === 0 || checksLate) && acceptedIfSentNow) return true;
  if (pc === W_CHECKED && (age === 0 || freezeAfterCheck || checksLate) && acceptedIfSentNow) return true;
  if (net === N_FLIGHT && accepted) return true;
  return net === N_RUNNING && (kind !== 'A' || rules.vendorChecks === 'arrival' || accepted);
}

export function anyCanStill(m: Setting, s: Uint8Array, a: number): boolean {
  for (let i = 0; i < used(s, a); i++) if (canStill(m, s, a, i)) return true;
  return false;
}

/** The intent is held by action `a`, whatever the declared window is. */
export function holds(s: Uint8Array, a: number): boolean {
  const o = a * A_SIZE;
  const state = at(s, o + A_ST);
  if (state === ABSENT) return false;
  if (state === PENDING || state === EXECUTING || state === INDETERMINATE) return true;
  if (effectOf(s, a) === UNKNOWN) return true;
  return state === REJECTED && at(s, o + A_EXP) === 0;
}

/** Settled, and nothing in doubt. */
export function settled({ world, globals }: Setting, s: Uint8Array): boolean {
  if (at(s, globals + 1) === 2) return false; // the intent is held by nobody
  for (let a = 0; a < world.actions; a++) {
    const state = at(s, a * A_SIZE + A_ST);
    if (state === ABSENT) continue;
    if (state < SUCCEEDED || hasOpen(s, a) || effectOf(s, a) === UNKNOWN) return false;
  }
  return true;
}

/** Older attempts are never younger than newer ones: may attempt `i` age by one step? */
export function mayAge(s: Uint8Array, a: number, i: number): boolean {
  const next = at(s, attemptAt(a, i) + T_AGE) + 1;
  for (let b = 0; b <= a; b++) {
    for (let j = 0; j < (b === a ? i : used(s, b)); j++) if (at(s, attemptAt(b, j) + T_AGE) < next) return false;
  }
  return true;
}
