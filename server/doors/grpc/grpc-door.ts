import { createServer, type Server as Listener, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import type { DoorLimits } from '../limits.ts';
import { capConnections, listen, socketsOf } from '../listen.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Certificates } from '../tls/certificates.ts';
import type { Bytes } from './grpc-call.ts';
import { addHealth } from './health.ts';
import { addReflection } from './reflection.ts';
import { streamHandler } from './stream-handler.ts';
import { unaryHandler } from './unary-handler.ts';

/** A door that is open. */
export interface GrpcDoor {
  readonly port: number;
  /** Takes no new connections or calls; resolves when those that run have ended, of themselves or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface GrpcDoorOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly readiness: Readiness;
  readonly limits: DoorLimits;
  /** Undefined: plain text. */
  readonly certificates: Certificates | undefined;
  readonly logger: Logger;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/**
 * What the library refuses by itself it refuses without a detail. So its own limit lies above ours: what is a little too
 * large gets an actionable answer, and what is far too large is never held in memory.
 */
const hardLimitFactor = 4;

const asIs = (bytes: Bytes): Bytes => bytes;

/** Serves RPCs by @grpc/grpc-js, with the standard health and reflection beside them. Rejects when it cannot listen. */
export async function openGrpcDoor(options: GrpcDoorOptions): Promise<GrpcDoor> {
  const { rpcs, pipeline, readiness, limits, host, port } = options;
  const server = new Server({
    'grpc.max_receive_message_length': limits.requestBytes * hardLimitFactor,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
  });
  for (const rpc of rpcs) {
    const path = `/${rpc.method.parent.typeName}/${rpc.method.name}`;
    if (rpc.kind === 'unary') server.register(path, unaryHandler(rpc, pipeline, limits), asIs, asIs, 'unary');
    else server.register(path, streamHandler(rpc, pipeline, limits), asIs, asIs, 'serverStream');
  }
  const services = [...new Set(rpcs.map(({ method }) => method.parent))];
  const health = addHealth(
    server,
    services.map(({ typeName }) => typeName),
    readiness,
  );
  addReflection(server, services);
  // The library takes connections from us, so that every one of them can be ended: its own ways of closing pass over a session
  // whose client has begun to close it, and such a client may read as slowly as it likes.
  const { injectConnection } = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createListener(options.certificates, injectConnection);
  capConnections(listener, limits.connections, options.logger, 'gRPC');
  const sockets = socketsOf(listener);
  return {
    port: await listen(listener, 'TETHER_GRPC_PORT', host, port),
    close: (graceMs) => {
      health.stop();
      return shutDown(server, listener, sockets, graceMs);
    },
  };
}

/**
 * A certificate that is asked for is insisted on in the handshake: a stranger does not get as far as HTTP/2. The library is given
 * sockets that speak TLS already, and takes them as it takes plain ones.
 */
function createListener(certificates: Certificates | undefined, connected: (socket: Socket) => void): Listener {
  if (certificates === undefined) return createServer(connected);
  const { asked } = certificates;
  const listener = createTlsServer(
    { ...certificates.options(), ALPNProtocols: ['h2'], requestCert: asked, rejectUnauthorized: asked },
    (socket) => {
      // Whoever uses the socket hears of its end; an error that nobody listens to would end the process.
      socket.on('error', () => undefined);
      connected(socket);
    },
  );
  certificates.renew(listener);
  return listener;
}

/** Tells every client that this is the end, waits for their calls, and cuts what outlasts the grace. */
async function shutDown(
  server: Server,
  listener: Listener,
  sockets: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  const patience = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  const closed = new Promise((resolve) => listener.close(resolve));
  await new Promise<void>((resolve, reject) => {
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  });
  await closed;
  clearTimeout(patience);
}
