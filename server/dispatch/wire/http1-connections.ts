/**
 * The connections to one origin over HTTP/1.1. A request goes out only on a fresh connection or on one that has just
 * answered: on a reused socket that dies, nothing can be known about the request. An origin that once closed a connection
 * which we could have used gets fresh ones only, from then on.
 *
 * A connection is an undici client that is given one socket and refuses to make another, so that nothing is ever sent a
 * second time behind our back.
 */
import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { EndpointTls } from '../../domain/endpoint.ts';
import { eventsHeard } from './events-heard.ts';
import { openSocket } from './open-socket.ts';

/** How long ago a connection may have answered to be used again, milliseconds. */
const justAnsweredMs = 1_000;

/** Idle connections are closed by then; also the most that is believed of an announced keep-alive. Coarse. */
const idleMs = 2_000;

export interface Http1Connection {
  readonly client: Client;
  readonly socket: Socket;
  /** By the monotonic clock, of its last whole answer; undefined while it is fresh. */
  answeredAt: number | undefined;
  state: 'busy' | 'idle' | 'gone';
}

export interface Http1Connections {
  /** One that has just answered, or a fresh one. Rejects when none can be made: nothing was sent. */
  take(signal: AbortSignal): Promise<Http1Connection>;
  /** Keeps it for the next request; only after a whole answer. */
  giveBack(connection: Http1Connection): void;
  close(): Promise<void>;
}

/** `monotonic`: milliseconds, never going back. */
export function createHttp1Connections(
  origin: URL,
  tls: EndpointTls | undefined,
  monotonic: () => number,
): Http1Connections {
  const idle: Http1Connection[] = [];
  const all = new Set<Http1Connection>();
  let freshOnly = false;
  let closed = false;

  function lose(connection: Http1Connection, cause: unknown): void {
    const reusable = connection.state === 'idle' || connection.answeredAt !== undefined;
    connection.state = 'gone';
    all.delete(connection);
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
    if (reusable && closedByPeer(cause)) freshOnly = true;
  }

  function usable({ socket, answeredAt = 0 }: Http1Connection): boolean {
    return !freshOnly && !socket.destroyed && monotonic() - answeredAt <= justAnsweredMs;
  }

  async function open(signal: AbortSignal): Promise<Http1Connection> {
    const socket = await openSocket(origin, tls, 'http/1.1', signal);
    if (closed) {
      socket.destroy();
      throw new Error('the dispatcher is closed');
    }
    let handedOver = false;
    const client = new Client(origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      connect: (_options, callback) => {
        const usable = !handedOver && !socket.destroyed;
        handedOver = true;
        // Not at once: the client is in the middle of its own bookkeeping when it asks.
        queueMicrotask(() => (usable ? callback(null, socket) : callback(new Error('the connection is gone'), null)));
      },
    });
    const connection: Http1Connection = { client, socket, answeredAt: undefined, state: 'busy' };
    all.add(connection);
    client.on('disconnect', (_origin, _targets, error) => lose(connection, error));
    return connection;
  }

  return {
    async take(signal) {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        last.state = 'busy';
        if (usable(last)) await eventsHeard();
        if (usable(last)) return last;
        drop(last);
      }
      return open(signal);
    },
    giveBack(connection) {
      if (connection.state === 'gone') return;
      if (freshOnly) {
        drop(connection);
        return;
      }
      connection.answeredAt = monotonic();
      connection.state = 'idle';
      idle.push(connection);
    },
    async close() {
      closed = true;
      await Promise.all([...all].map(({ client }) => client.destroy()));
    },
  };

  function drop(connection: Http1Connection): void {
    connection.state = 'gone';
    all.delete(connection);
    void connection.client.destroy();
  }
}

/** undici says UND_ERR_INFO of what it closed itself: idle for too long, announced by the peer, or aborted by us. */
function closedByPeer(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code !== 'UND_ERR_INFO' && code !== 'UND_ERR_DESTROYED' && code !== 'UND_ERR_ABORTED';
}
