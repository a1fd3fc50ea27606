/**
 * A state of the model: a fixed-length byte array, so that millions fit in memory. It holds the actions (each with its
 * attempts), then two approvers' slots, the prober's, the person's, and the globals; the offsets below name the fields.
 */
import type { Rules, World } from './world.ts';

export const stateNames = [
  '-',
  'PENDING',
  'EXECUTING',
  'INDETERMINATE',
  'SUCCEEDED',
  'REFUSED',
  'FAILED',
  'PRECONDITION_FAILED',
  'REJECTED',
  'EXPIRED',
  'SUPERSEDED',
] as const;
export const ABSENT = 0;
export const PENDING = 1;
export const EXECUTING = 2;
export const INDETERMINATE = 3;
/** This and all above are terminal. */
export const SUCCEEDED = 4;
export const REFUSED = 5;
export const FAILED = 6;
export const PRECONDITION_FAILED = 7;
export const REJECTED = 8;
export const EXPIRED = 9;
export const SUPERSEDED = 10;

export const effectNames = ['NONE', 'UNKNOWN', 'APPLIED'] as const;
export const NONE = 0;
export const UNKNOWN = 1;
export const APPLIED = 2;

/** What an attempt's row says. */
export const OPEN = 1;
export const R_OK = 2;
export const R_REFUSED = 3;
export const R_RELEASED = 4;
export const R_500 = 5;
export const R_NOANSWER = 6;

/** Answers. */
export const OK = 1;
export const REFUSE = 2;
export const NOTAPPLIED = 3;
export const E500 = 4;
export const NOANSWER = 5;
export const REFUSE_U = 6;
export const REFUSE_A = 7;
export const answerNames = [
  '-',
  'success',
  'refusal',
  'known-not-applied (4xx, or unsent)',
  '500',
  'no answer (timeout, 504, cut)',
  'refusal with effect UNKNOWN',
  'refusal with effect APPLIED',
] as const;

/** Where the worker of an attempt is. */
export const W_GONE = 0;
export const W_CLAIMED = 1;
export const W_CHECKED = 2;
export const W_SENT = 3;
export const W_ANSWER = 4;

/** Where the request of an attempt is. */
export const N_NONE = 0;
export const N_FLIGHT = 1;
export const N_RUNNING = 2;
export const N_DONE = 3;

/** Action: state, past expiry, times applied (in the world), attempts used, what the precondition saw at stage (+4: changed by others). */
export const A_ST = 0;
export const A_EXP = 1;
export const A_APP = 2;
export const A_N = 3;
export const A_SNAP = 4;
const A_ATT = 5;

/** Attempt: record, effect, worker, request, answer in hand, age, flags. */
export const T_REC = 0;
export const T_EFF = 1;
export const T_PC = 2;
export const T_NET = 3;
export const T_H = 4;
export const T_AGE = 5;
export const T_FL = 6;
export const T_SIZE = 7;
export const A_SIZE = A_ATT + 3 * T_SIZE;
/** Flags of an attempt: sent with a deadline counted from the send; barred by the vendor's promise. */
export const FL_FRESH = 1;
export const FL_BARRED = 2;

/** Approver's slot: pc (0 idle, 1 message on its way, 2 checked, 3 recheck same, 4 recheck differs), action, attempts seen, sends expected, ack, claimed once. */
export const S_PC = 0;
export const S_A = 1;
export const S_SEEN = 2;
export const S_EXP = 3;
export const S_ACK = 4;
export const S_ONCE = 5;
export const S_SIZE = 6;

/** Prober: pc, action, attempt, answer (1 executed, 2 not), gate passed when asked. */
export const P_PC = 0;
export const P_A = 1;
export const P_I = 2;
export const P_ANS = 3;
export const P_OLD = 4;
export const P_SIZE = 5;

/** Person: pc (0 idle, 1 has looked, 2 repeats a delivered decision), action, decision (1 landed, 2 not), attempts seen, gate passed when looking. */
export const H_PC = 0;
export const H_A = 1;
export const H_DEC = 2;
export const H_SEEN = 3;
export const H_OLD = 4;
export const H_SIZE = 5;

/** Rules, world, and where the parts of a state lie in it. */
export interface Setting {
  readonly rules: Rules;
  readonly world: World;
  readonly slots: number;
  readonly prober: number;
  readonly person: number;
  /** Whether a later action is legitimate; then the stager (0 idle, 1 holds the intent without a row, 2 died so). */
  readonly globals: number;
  readonly size: number;
}

export function createSetting(rules: Rules, world: World): Setting {
  const slots = world.actions * A_SIZE;
  const prober = slots + 2 * S_SIZE;
  const person = prober + P_SIZE;
  const globals = person + H_SIZE;
  return { rules, world, slots, prober, person, globals, size: globals + 2 };
}

/** The byte at an offset. */
export function at(s: Uint8Array, offset: number): number {
  return s[offset] ?? 0;
}

/** Offset of attempt `i` (from 0) of action `a` (from 0). */
export function attemptAt(a: number, i: number): number {
  return a * A_SIZE + A_ATT + i * T_SIZE;
}
