import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import { createJsonDoor } from '../json/json-door.ts';
import type { DoorLimits } from '../limits.ts';
import { listen, socketsOf } from '../listen.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Certificates } from '../tls/certificates.ts';
import { watchCertificates } from '../tls/shown-certificates.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { createEntrance } from './entrance.ts';
import { healthAnswers } from './health.ts';
import { brokenDown } from './misdirected.ts';
import { routeRequest } from './route-request.ts';
import { createRpcHandlers } from './rpc-handlers.ts';

/** A door that is open. */
export interface HttpDoor {
  readonly port: number;
  /** Takes no new connections; resolves when those there are have ended: answered and let go, or cut after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface HttpDoorOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly readiness: Readiness;
  readonly limits: DoorLimits;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  /** Undefined: plain text. */
  readonly certificates: Certificates | undefined;
  readonly logger: Logger;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/**
 * Milliseconds. A connection is kept longer than any common load balancer keeps it (600 s), since one that we close first
 * loses the request that is just on its way; headers and bodies have to arrive in time, answers may take as long as they do.
 */
const timeouts = { keepAliveTimeout: 620_000, headersTimeout: 20_000, requestTimeout: 60_000 };

/** Serves RPCs over HTTP/1.1, by Connect, gRPC-Web and plain JSON. Rejects when it cannot listen. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { rpcs, pipeline, limits, logger, host, port } = options;
  const services = {
    handlers: new Map(createRpcHandlers(rpcs, pipeline, limits).map((each) => [each.path, each])),
    answerHealth: healthAnswers(options.readiness),
    json: createJsonDoor({ rpcs, pipeline, limits }),
  };
  const server = createListener(options.certificates);
  const sockets = socketsOf(server);
  const enter = createEntrance({
    corsOrigins: options.corsOrigins,
    secure: options.certificates !== undefined,
    shown: options.certificates?.asked ? watchCertificates(server) : undefined,
  });
  let closing = false;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (closing) response.setHeader('connection', 'close');
    response.once('close', () => closing && server.closeIdleConnections());
    const entered = enter(request, response);
    if (entered === 'answered') return;
    const { requestId } = entered;
    routeRequest(services, request, response, entered).catch((thrown: unknown) => {
      const bindings = { request_id: requestId, err: thrown };
      if (hasLost(response)) return logger.debug(bindings, 'an answer found nobody');
      logger.error(bindings, 'an answer could not be written');
      if (response.headersSent) response.destroy();
      else brokenDown(response, requestId);
    });
  });
  server.on('clientError', answerBrokenRequest);
  return {
    port: await listen(server, 'TETHER_HTTP_PORT', host, port),
    close: (graceMs) => {
      closing = true;
      return shutDown(server, sockets, graceMs);
    },
  };
}

/** A certificate is asked for and not insisted on: who lacks one is told so in HTTP, or is one of those who need none. */
function createListener(certificates: Certificates | undefined): Server | TlsServer {
  if (certificates === undefined) return createServer(timeouts);
  const server = createTlsServer({
    ...timeouts,
    ...certificates.options(),
    requestCert: certificates.asked,
    rejectUnauthorized: false,
  });
  certificates.renew(server);
  return server;
}

/** Whether the connection is gone: what it was reset with may be heard of before that it is closed. */
function hasLost({ closed, errored, socket }: ServerResponse): boolean {
  return closed || errored !== null || socket === null || socket.destroyed;
}

function shutDown(server: Server | TlsServer, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    server.close((error) => {
      clearTimeout(patience);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
