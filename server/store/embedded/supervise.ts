/** Staying attached for as long as the server lives, and leaving so that others are not hurt. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Attached, leave } from './attach.ts';
import { shutDown } from './shut-down.ts';

/**
 * Keeps our share of the running PostgreSQL. When the session is lost (PostgreSQL was killed, or it restarted after a
 * crash), `reopen` finds or starts it again, on the same port, so that the server's pools recover by themselves.
 */
export function supervise(
  first: Attached,
  reopen: () => Promise<{ attached: Attached }>,
  logger: Pick<Logger, 'info' | 'warn'> | undefined,
): { stop(): Promise<void> } {
  let attached: Attached | undefined;
  let reopening: Promise<void> | undefined;
  const stopping = new AbortController();

  const hold = (next: Attached): void => {
    attached = next;
    next.session.once('end', () => {
      attached = undefined;
      if (!stopping.signal.aborted) reopening = restore();
    });
  };

  const restore = async (): Promise<void> => {
    logger?.warn('the embedded PostgreSQL went away; starting it again');
    while (!stopping.signal.aborted) {
      try {
        hold((await reopen()).attached);
        logger?.info('embedded PostgreSQL is up again');
        return;
      } catch (error) {
        logger?.warn({ err: error }, 'the embedded PostgreSQL could not be started again; trying on');
        await delay(1_000, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  };

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await reopening;
    if (attached === undefined) return;
    const { session, home, pid } = attached;
    if (await leave(session)) await shutDown(home, pid);
    else logger?.info('another server uses the embedded PostgreSQL; left running');
    await session.end();
  };

  hold(first);
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
