/** Stopping PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Home } from './home.ts';
import { readPidFile } from './pid-file.ts';

/** How long a fast shutdown may take before PostgreSQL is told to stop at once and recover at its next start. */
const fastMs = 30_000;
const immediateMs = 5_000;

/**
 * Stops the PostgreSQL of a home and waits until it is gone.
 *
 * @throws when it is alive after 35 s.
 */
export async function shutDown(home: Home, pid: number): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one.
  process.kill(pid, 'SIGINT');
  if (await isGone(home, pid, fastMs)) return;
  process.kill(pid, 'SIGQUIT');
  if (await isGone(home, pid, immediateMs)) return;
  throw new Error(`the embedded PostgreSQL (process ${pid}) did not stop; its log is ${home.log}`);
}

/** Removing the pid file is the last thing that a postmaster does. */
async function isGone(home: Home, pid: number, withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    if ((await readPidFile(home))?.pid !== pid) return true;
    await delay(10);
  }
  return false;
}
