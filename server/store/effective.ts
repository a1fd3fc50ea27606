import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long a replica trusts what the database said of a key or of what is stopped without asking again, in milliseconds from
 * before the question was sent. Short, since every change that takes something away waits for as long before it answers.
 */
export const trustMs = 1_000;

/** For clocks of other machines that run a little slower. */
const slackMs = 50;

/**
 * Resolves when every replica knows of a change that was committed before this was called. There is nothing to tell anybody, so
 * nothing that can be lost: what a replica remembers was asked before the commit, and is forgotten by then, also by one that
 * cannot be reached.
 */
export async function everywhere(): Promise<void> {
  const until = performance.now() + trustMs + slackMs;
  for (let left = trustMs + slackMs; left > 0; left = until - performance.now()) await delay(Math.ceil(left));
}
