import { setTimeout as timerDelay } from 'node:timers/promises';
import type { ReadAnswer } from '../domain/answer.ts';
import type { ReadOutcome } from './classify-read.ts';

/** Before the second attempt, milliseconds; every further one waits twice as long. */
const firstGapMs = 150;

/** Waits; rejects when the signal fires. Injected, so that tests need not wait. */
export type Delay = (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;

export const realDelay: Delay = (ms, signal) => timerDelay(ms, undefined, { signal });

/** Repeats a read while its outcome allows it, up to `maxAttempts` (DESIGN §4). A caller that left ends it. */
export async function withRetries(
  attempt: (number: number) => Promise<ReadOutcome>,
  maxAttempts: number,
  delay: Delay,
  signal: AbortSignal | undefined,
): Promise<ReadAnswer> {
  for (let number = 1; ; number += 1) {
    const outcome = await attempt(number);
    if (outcome.kind === 'result') return { ...outcome, attempts: number };
    const last = !outcome.again || number >= maxAttempts || signal?.aborted === true;
    if (last || !(await waited(delay, firstGapMs * 2 ** (number - 1), signal))) {
      return { kind: 'failed', error: outcome.error, attempts: number };
    }
  }
}

/** False when the caller left meanwhile. */
async function waited(delay: Delay, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await delay(ms, signal);
    return signal?.aborted !== true;
  } catch (cause) {
    if (signal?.aborted) return false;
    throw cause;
  }
}
