import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { EndpointTls } from '../../domain/endpoint.ts';

/** How long connecting may take, milliseconds; longer than this a write would not be sent anyway (rule 7). */
const connectTimeoutMs = 10_000;

/**
 * Opens a connection, TLS handshake included for `https:`. What fails here is proof that nothing of a request was sent,
 * which is why connecting is a step of its own and not left to a client library. Rejects with the reason of the signal,
 * or with whatever the network said.
 */
export function openSocket(
  origin: URL,
  tls: EndpointTls | undefined,
  alpn: string,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const secure = origin.protocol === 'https:';
    const host = origin.hostname.replace(/^\[|\]$/g, '');
    const port = Number(origin.port) || (secure ? 443 : 80);
    const socket = secure
      ? connectTls({
          ...{ host, port, ALPNProtocols: [alpn], servername: isIP(host) === 0 ? host : '' },
          ...(tls && { secureContext: contextOf(tls) }),
        })
      : connectTcp({ host, port });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    const timer = setTimeout(() => fail(new Error('connect timeout')), connectTimeoutMs);
    const stop = () => fail(signal.reason);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.off('error', fail);
      socket.off('close', closed);
    };
    const fail = (reason: unknown) => {
      settle();
      socket.on('error', ignore);
      socket.destroy();
      reject(reason);
    };
    const closed = () => fail(new Error('closed while connecting'));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      settle();
      socket.on('error', ignore);
      resolve(socket);
    });
  });
}

/** Made of PEM once for each `tls` that is declared. */
const contexts = new WeakMap<EndpointTls, SecureContext>();

function contextOf(tls: EndpointTls): SecureContext {
  const known = contexts.get(tls);
  if (known !== undefined) return known;
  const context = createSecureContext(tls.options());
  contexts.set(tls, context);
  return context;
}

/** The reason is already told, or will be by whoever uses the socket. */
function ignore(): void {
  return;
}
