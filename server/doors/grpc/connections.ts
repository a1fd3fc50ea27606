import type { Server, Socket } from 'node:net';
import type { DoorLimits } from '../limits.ts';

/** Where a connection comes from, as the library tells it. */
interface ConnectionInfo {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** A connection, and what is known of the calls on it. */
export interface Connection {
  /** How many are under way. */
  calls: number;
  /** When the last one ended, by the monotonic clock. */
  idleSince: number;
  /** Fires when streams have to end, so that they end with a word. */
  readonly closing: AbortSignal;
}

export interface Connections {
  /** Begins to look after connections, every one from now on. */
  watch(listener: Server): void;
  /** Undefined for one that is gone. */
  of(info: ConnectionInfo): Connection | undefined;
}

/**
 * Ends connections as the library does not. It says goodbye to one without calls, and then waits for ever if something has begun to
 * come in that never ends: such a one is cut. On an old one it cuts what still runs when the grace is over: by the middle of the grace
 * streams without an end of their own are ended with a word, and can go on elsewhere.
 */
export function createConnections({ idleMs, ageMs, graceMs }: DoorLimits['grpc']): Connections {
  const open = new Map<string, Connection>();
  const patienceMs = Math.min(10_000, idleMs);
  const closingMs = ageMs === 0 ? Number.POSITIVE_INFINITY : ageMs * 1.1 + graceMs / 2;

  function follow(socket: Socket): () => void {
    const place = placeOf(socket);
    const closing = new AbortController();
    const openedAt = performance.now();
    const connection: Connection = { calls: 0, idleSince: openedAt, closing: closing.signal };
    open.set(place, connection);
    socket.once('close', () => open.get(place) === connection && open.delete(place));
    return () => {
      const now = performance.now();
      if (now - openedAt > closingMs) closing.abort();
      if (connection.calls === 0 && now - connection.idleSince > idleMs + patienceMs) socket.destroy();
    };
  }

  return {
    watch(listener) {
      const looks = new Map<Socket, () => void>();
      listener.on('connection', (socket: Socket) => {
        looks.set(socket, follow(socket));
        socket.once('close', () => looks.delete(socket));
      });
      const looking = setInterval(
        () => {
          for (const look of looks.values()) look();
        },
        Math.min(5_000, idleMs / 4, closingMs / 10),
      );
      looking.unref();
      listener.once('close', () => clearInterval(looking));
    },
    of: (info) => open.get(placeOf(info)),
  };
}

function placeOf({ remoteAddress, remotePort }: ConnectionInfo): string {
  return `${remoteAddress} ${remotePort}`;
}
