import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** How a connection stands to the certificate that it was asked for. */
export type Shown = 'good' | 'not good' | 'none';

/** Remembers what the connections of a listener showed that asks for certificates and does not insist on them. */
export function watchCertificates(listener: Server): (socket: Socket) => Shown {
  const shown = new WeakMap<Socket, Shown>();
  listener.on('secureConnection', (socket: TLSSocket) => {
    if (socket.getPeerX509Certificate() === undefined) return;
    shown.set(socket, socket.authorized ? 'good' : 'not good');
  });
  return (socket) => shown.get(socket) ?? 'none';
}
