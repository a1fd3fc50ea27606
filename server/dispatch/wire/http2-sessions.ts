/**
 * The connections to one origin over HTTP/2, for gRPC. The same rule as over HTTP/1.1, as far as a shared connection
 * allows: a call goes out only on a session that connected or answered within the last second, and an origin that dropped
 * an idle one which we could have used gets, from then on, a session of its own for every call. None ever reconnects.
 * It counts as connected when the peer's settings are here: what listens there is then known to speak HTTP/2.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import type { EndpointTls } from '../../domain/endpoint.ts';
import { eventsHeard } from './events-heard.ts';
import { openSocket } from './open-socket.ts';

/** How long ago a session may have connected or answered to take another call, milliseconds; idle, it is closed then. */
const justAnsweredMs = 1_000;

/** Sessions opened for one call until one stays open and has room. */
const tries = 8;

export interface Http2Session {
  readonly http2: ClientHttp2Session;
  /** Ends this use of it; `answered` when a whole answer came back. */
  release(answered: boolean): void;
}

export interface Http2Sessions {
  /** For one call. Rejects when no connection can be made: nothing was sent. */
  take(signal: AbortSignal): Promise<Http2Session>;
  close(): Promise<void>;
}

interface Shared {
  readonly http2: ClientHttp2Session;
  aliveAt: number;
  answered: boolean;
  calls: number;
  /** We closed it, or the peer said goodbye in good order: its end tells nothing about the origin. */
  ended: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** `monotonic`: milliseconds, never going back. */
export function createHttp2Sessions(origin: URL, tls: EndpointTls | undefined, monotonic: () => number): Http2Sessions {
  const all = new Set<Shared>();
  const closing = new AbortController();
  let current: Shared | undefined;
  let opening: Promise<void> | undefined;
  let freshOnly = false;

  async function open(signal: AbortSignal): Promise<Shared> {
    const http2 = await openSession(origin, tls, signal);
    const shared = { http2, aliveAt: monotonic(), answered: false, calls: 0, ended: false, idle: undefined };
    all.add(shared);
    http2.on('goaway', (code) => {
      if (code === 0) shared.ended = true;
    });
    http2.on('close', () => {
      clearTimeout(shared.idle);
      all.delete(shared);
      if (current === shared) current = undefined;
      if (shared.answered && shared.calls === 0 && !shared.ended) freshOnly = true;
    });
    return shared;
  }

  /** Makes the next current session, one at a time for all who wait. */
  function openNext(): Promise<void> {
    opening ??= open(closing.signal)
      .then((shared) => {
        const old = current;
        current = shared;
        if (old?.calls === 0) end(old);
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  function end(shared: Shared): void {
    shared.ended = true;
    clearTimeout(shared.idle);
    if (current === shared) current = undefined;
    shared.http2.close();
  }

  function use(shared: Shared): Http2Session {
    shared.calls += 1;
    clearTimeout(shared.idle);
    let released = false;
    return {
      http2: shared.http2,
      release(answered) {
        if (released) return;
        released = true;
        shared.calls -= 1;
        if (answered) {
          shared.answered = true;
          shared.aliveAt = monotonic();
        }
        if (shared.calls > 0) return;
        if (shared === current) shared.idle = setTimeout(end, justAnsweredMs, shared);
        else end(shared);
      },
    };
  }

  return {
    async take(signal) {
      if (freshOnly) return use(await open(AbortSignal.any([signal, closing.signal])));
      for (let attempt = 0; attempt < tries; attempt += 1) {
        if (current?.answered && hasRoom(current, monotonic())) await eventsHeard();
        if (current !== undefined && hasRoom(current, monotonic())) return use(current);
        await unlessAborted(openNext(), signal);
      }
      throw new Error('no session stayed open');
    },
    async close() {
      closing.abort(new Error('the dispatcher is closing'));
      for (const { http2 } of all) http2.destroy();
    },
  };
}

function hasRoom({ http2, aliveAt, calls }: Shared, now: number): boolean {
  if (http2.closed || http2.destroyed || now - aliveAt > justAnsweredMs) return false;
  return calls < (http2.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY);
}

async function openSession(
  origin: URL,
  tls: EndpointTls | undefined,
  signal: AbortSignal,
): Promise<ClientHttp2Session> {
  const socket = await openSocket(origin, tls, 'h2', signal);
  const http2 = connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
  await new Promise<void>((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      http2.off('close', closed);
    };
    const fail = (reason: unknown) => {
      settle();
      http2.destroy();
      reject(reason);
    };
    const stop = () => fail(signal.reason);
    const closed = () => fail(new Error('closed before its settings came'));
    const timer = setTimeout(() => fail(new Error('no settings came')), settingsTimeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    http2.once('close', closed);
    // What it says is told by the end of each call on it; unheard it would end the process.
    http2.on('error', (cause) => fail(cause));
    http2.once('remoteSettings', () => {
      settle();
      resolve();
    });
  });
  return http2;
}

/** How long the peer may take to speak HTTP/2 after connecting, milliseconds. */
const settingsTimeoutMs = 10_000;

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
