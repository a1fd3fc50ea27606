/**
 * The lock that every process of a running PostgreSQL holds.
 *
 * flock(1) opens the lock file and becomes the command; the open file, and the lock with it, is inherited by the
 * postmaster and all its children, and the kernel gives it back when the last of them is gone, however they ended. So who
 * gets the lock knows that nothing runs on the data and that a pid file there is stale, and of two servers that start at
 * once only one starts a database. Without flock(1) (macOS) PostgreSQL's own pid file has to do.
 */
import { run, self } from './command.ts';

/** The exit code of a command that found the lock held. */
export const lockHeld = 75;

let available: Promise<boolean> | undefined;

/** Puts what takes the lock before the command; without flock(1), the command alone. */
export async function underLock(lock: string, command: readonly string[]): Promise<readonly string[]> {
  available ??= run(self, ['flock', '--no-fork', '--conflict-exit-code', String(lockHeld), '/dev/null', 'true']).then(
    ({ code }) => code === 0,
  );
  if (!(await available)) return command;
  return ['flock', '--no-fork', '--nonblock', '--conflict-exit-code', String(lockHeld), lock, ...command];
}
