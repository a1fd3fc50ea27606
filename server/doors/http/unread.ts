import type { IncomingMessage, Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Cuts connections whose answers lie unread, since what lies there is held in memory: when nothing of it has moved for so many
 * milliseconds. It is looked for now and then, so that answers that are read cost nothing. Who waits for an answer may wait as long as
 * it takes. A stream that is cut is resumed with its cursor.
 */
export function cutUnread(server: Server | TlsServer, unreadMs: number): void {
  const answered = new Set<Socket>();
  const timed = new WeakSet<Socket>();
  server.on('request', ({ socket }: IncomingMessage) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    socket.once('close', () => answered.delete(socket));
  });
  const look = () => {
    for (const socket of answered) {
      if (socket.writableLength > 0) {
        if (timed.has(socket)) continue;
        timed.add(socket);
        // The runtime's own clock for it knows what has moved, and ends a connection that nobody takes care of.
        socket.setTimeout(unreadMs);
      } else if (timed.delete(socket)) socket.setTimeout(0);
    }
  };
  const looking = setInterval(look, unreadMs / 4);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}
