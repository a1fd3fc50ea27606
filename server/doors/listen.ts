import type { AddressInfo, Server, Socket } from 'node:net';
import type { Logger } from 'pino';
import { portError } from './port-error.ts';

/**
 * Closes connections beyond so many at once. That is told in the log, and again only after a minute, since whoever is turned away
 * comes back.
 */
export function capConnections(listener: Server, most: number, logger: Pick<Logger, 'warn'>, door: string): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  listener.maxConnections = most;
  listener.on('drop', () => {
    if (performance.now() - toldAt < 60_000) return;
    toldAt = performance.now();
    logger.warn({ door, connections: most }, 'a door has as many connections as it takes, and closes new ones');
  });
}

/** Listens on a port; 0 picks a free one. Resolves with the port, rejects with what to do about it. */
export function listen(
  listener: Server,
  setting: 'TETHER_HTTP_PORT' | 'TETHER_GRPC_PORT',
  host: string,
  port: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(portError(setting, host, port, error));
    listener.once('error', failed);
    listener.listen(port, host, () => {
      listener.off('error', failed);
      resolve((listener.address() as AddressInfo).port);
    });
  });
}

/** Every connection of a listener, also one that is still in its handshake, so that each of them can be ended. */
export function socketsOf(listener: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
