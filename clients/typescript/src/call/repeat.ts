/**
 * Which calls are made again by themselves, and when.
 *
 *   repeat    | answer lost, or never sent | busy: NONE, try later | CONFIRM_IN_FLIGHT | anything else
 *   read      | again                      | again                 | fails             | fails
 *   keyed     | again                      | again                 | fails             | fails
 *   confirm   | again                      | after a lost answer   | after a lost one  | fails
 *   never     | fails                      | fails                 | fails             | fails
 *
 * `keyed` is a proposal with a `request_id`: the server answers a repeat with the same action. A confirm is repeated with the
 * same idempotency key *and* `expected_attempts`, so the server answers it from the record once an attempt was made: a machine
 * never makes a second one. Everything else that writes is for whoever called to decide about.
 */
import type { TetherError } from '../tether-error.ts';
import type { RetryOptions } from './call-options.ts';

export type Repeat = 'read' | 'keyed' | 'confirm' | 'never';

/** How repeats are paced. */
export type Pace = Required<Pick<RetryOptions, 'repeats' | 'baseDelayMs' | 'maxDelayMs'>>;

/** What a failure says of making the call again. */
export type Sort =
  /** An answer may have been given that did not arrive. */
  | 'lost'
  /** No answer, and nothing left behind: it was never sent, or it only reads. */
  | 'nothing'
  /** Not taken, and would be later. */
  | 'busy'
  /** Another confirm is under way: if an answer was lost before, that is its confirm. */
  | 'in-flight'
  /** An answer. */
  | 'final';

export function sortOf(error: TetherError): Sort {
  const { answered, effect, retryable, code } = error;
  if (effect === 'UNKNOWN' && (answered || retryable)) return 'lost';
  if (!answered) return effect === 'NONE' && retryable ? 'nothing' : 'final';
  if (code === 'CONFIRM_IN_FLIGHT') return 'in-flight';
  return retryable && effect === 'NONE' && (code === 'UNAVAILABLE' || code === 'RATE_LIMITED') ? 'busy' : 'final';
}

export interface Standing {
  readonly repeat: Repeat;
  /** Tries so far, from 1. */
  readonly tries: number;
  /** How many of them only asked whether the confirm under way has ended. */
  readonly waits: number;
  /** Whether an answer was lost on this call, now or before. */
  readonly lost: boolean;
}

/** Milliseconds until the call is made again; undefined when it is not. `random` is between 0 and 1. */
export function pauseBeforeRepeat(
  error: TetherError,
  { repeat, tries, waits, lost }: Standing,
  pace: Pace,
  random: number,
): number | undefined {
  const backoff = backoffMs(tries, pace, random);
  const asked = error.retryAfterMs ?? 0;
  const more = tries - waits <= pace.repeats;
  if (repeat === 'never') return undefined;
  switch (sortOf(error)) {
    case 'final':
      return undefined;
    case 'in-flight':
      // It says how long that takes at most: looking again sooner is what finds the answer.
      return repeat === 'confirm' && lost ? Math.min(backoff, asked || backoff) : undefined;
    case 'busy':
      if (repeat === 'confirm' && !lost) return undefined;
      return more ? Math.max(backoff, asked) : undefined;
    case 'lost':
    case 'nothing':
      return more ? Math.max(backoff, asked) : undefined;
  }
}

/** The pause after so many tries in vain: it doubles, up to a limit, and up to a half is taken off at random. */
export function backoffMs(tries: number, { baseDelayMs, maxDelayMs }: Pace, random: number): number {
  return Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1)) * (1 - random / 2);
}
