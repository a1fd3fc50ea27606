import type { Action } from '../domain/action.ts';
import { attemptsInDoubt } from '../domain/action.ts';

/** Clocks of vendors may differ by so much from ours. */
const skewMs = 30_000;

/** From when on "it did not happen" can be known: 30 s after the deadline of every attempt in doubt (DESIGN §2.3). */
export function doubtGate(action: Action): Date {
  const deadlines = attemptsInDoubt(action.attempts).map(({ deadlineAt }) => deadlineAt.getTime());
  return new Date(Math.max(0, ...deadlines) + skewMs);
}
