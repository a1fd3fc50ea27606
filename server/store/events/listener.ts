import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { OrmOptions } from '../orm.ts';
import { channel } from './channel.ts';

/** Who waits for word of a tenant's events, and the connection that brings it from other replicas. */
export interface Listener {
  /** See {@link EventLog.listen}. The connection is opened when this is first called. */
  listen(tenantId: string, heard: () => void): () => void;
  /** Calls whoever waits for one of these tenants. */
  wake(tenantIds: readonly string[]): void;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * One connection of its own, beside the pool, for as long as the process listens; when it breaks it is made anew, and everybody
 * is woken, since word may have been missed meanwhile.
 */
export function createListener({ url, logger }: Pick<OrmOptions, 'url' | 'logger'>): Listener {
  const waiting = new Map<string, Set<{ readonly heard: () => void }>>();
  const closing = new AbortController();
  let connected: Promise<void> | undefined;

  const wake = (tenantIds: Iterable<string>): void => {
    for (const tenantId of tenantIds) for (const { heard } of waiting.get(tenantId) ?? []) heard();
  };

  /** Until the listener is closed. */
  const stayConnected = async (): Promise<void> => {
    for (let pause = firstPauseMs; !closing.signal.aborted; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        await hear(url, closing.signal, wake, () => {
          pause = firstPauseMs;
          wake([...waiting.keys()]);
        });
      } catch (error) {
        if (closing.signal.aborted) return;
        logger?.warn({ err: error }, 'the connection that listens for events was lost; it is made anew');
      }
      await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };

  return {
    listen(tenantId, heard) {
      connected ??= stayConnected();
      const one = { heard };
      const others = waiting.get(tenantId) ?? new Set();
      waiting.set(tenantId, others.add(one));
      return () => {
        others.delete(one);
        if (others.size === 0 && waiting.get(tenantId) === others) waiting.delete(tenantId);
      };
    },
    wake,
    async close() {
      closing.abort();
      await connected;
    },
  };
}

/** Listens on one connection until it breaks, which rejects, or the signal fires. */
async function hear(
  url: string,
  signal: AbortSignal,
  wake: (tenantIds: readonly string[]) => void,
  listening: () => void,
): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'tether-events',
  });
  const ended = new Promise<Error>((resolve) => {
    client.on('error', resolve);
    client.on('end', () => resolve(new Error('the connection ended')));
  });
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  client.on('notification', ({ payload }) => wake(payload?.split(',') ?? []));
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    listening();
    const broken = await Promise.race([ended, stopped]);
    if (broken) throw broken;
  } finally {
    await client.end();
  }
}
