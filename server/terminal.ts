import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Tells, when SIGHUP comes, whether it came because the terminal is gone in which this process was started: then nobody is there to
 * stop it any more, and it should end. Somebody who sends SIGHUP while the terminal is there, or to a server that never had one (a
 * service; `nohup`), means something else by it.
 */
export function watchTerminal(): () => boolean {
  const had = isatty(0) && hasTerminal();
  return () => had && !hasTerminal();
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
