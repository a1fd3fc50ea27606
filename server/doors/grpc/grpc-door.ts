import { createServer, type Server as Listener, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import type { DoorLimits } from '../limits.ts';
import { capConnections, listen, socketsOf } from '../listen.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Certificates } from '../tls/certificates.ts';
import { createConnections } from './connections.ts';
import { createGate } from './gate.ts';
import { type Bytes, pathOf } from './grpc-call.ts';
import { addHealth } from './health.ts';
import { addReflection } from './reflection.ts';

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
 * The library's own limit lies above ours: what is a little too large is refused with its size, and what is far too large is never
 * held in memory.
 */
const hardLimitFactor = 4;

const asIs = (bytes: Bytes): Bytes => bytes;

function unreachable(): never {
  throw new Error('a call reached a handler past the gate');
}

/** Serves RPCs by @grpc/grpc-js, with the standard health and reflection beside them. Rejects when it cannot listen. */
export async function openGrpcDoor(options: GrpcDoorOptions): Promise<GrpcDoor> {
  const { rpcs, pipeline, readiness, limits, host, port } = options;
  const connections = createConnections(limits.grpc);
  const server = new Server({
    ...serverOptions(limits),
    interceptors: [createGate({ rpcs, pipeline, limits, connections })],
  });
  // The library has to know their paths and which of them stream; the gate answers them.
  for (const rpc of rpcs)
    server.register(pathOf(rpc), unreachable, asIs, asIs, rpc.kind === 'unary' ? 'unary' : 'serverStream');
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
  connections.watch(listener);
  const sockets = socketsOf(listener);
  return {
    port: await listen(listener, 'TETHER_GRPC_PORT', host, port),
    close: (graceMs) => {
      health.stop();
      return shutDown(server, listener, sockets, graceMs);
    },
  };
}

function serverOptions({ requestBytes, grpc }: DoorLimits): ServerOptions {
  const { streams, idleMs, ageMs, graceMs, pingEveryMs, pingTimeoutMs } = grpc;
  return {
    'grpc.max_receive_message_length': requestBytes * hardLimitFactor,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
    'grpc.max_concurrent_streams': streams,
    'grpc.max_connection_idle_ms': idleMs,
    ...(ageMs === 0 ? {} : { 'grpc.max_connection_age_ms': ageMs, 'grpc.max_connection_age_grace_ms': graceMs }),
    'grpc.keepalive_time_ms': pingEveryMs,
    'grpc.keepalive_timeout_ms': pingTimeoutMs,
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
