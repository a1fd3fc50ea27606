import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import { createJsonDoor } from '../json/json-door.ts';
import type { DoorLimits } from '../limits.ts';
import { capConnections, listen, socketsOf } from '../listen.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Certificates } from '../tls/certificates.ts';
import { watchCertificates } from '../tls/shown-certificates.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { createEntrance } from './entrance.ts';
import { healthAnswers } from './health.ts';
import { type Metrics, metricsAnswers } from './metrics.ts';
import { brokenDown } from './misdirected.ts';
import { routeRequest } from './route-request.ts';
import { createRpcHandlers } from './rpc-handlers.ts';
import { cutUnread } from './unread.ts';

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
  readonly metrics: Metrics;
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
 * Milliseconds that a connection is kept between requests: longer than any common load balancer keeps it (600 s), since one that we
 * close first loses the request that is just on its way.
 */
const keepAliveTimeout = 620_000;

/** Serves RPCs over HTTP/1.1, by Connect, gRPC-Web and plain JSON. Rejects when it cannot listen. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { rpcs, pipeline, limits, logger, host, port } = options;
  const services = {
    handlers: new Map(createRpcHandlers(rpcs, pipeline, limits).map((each) => [each.path, each])),
    answerHealth: healthAnswers(options.readiness),
    answerMetrics: metricsAnswers(options.metrics),
    json: createJsonDoor({ rpcs, pipeline, limits }),
  };
  const server = createListener(options.certificates, limits);
  capConnections(server, limits.connections, logger, 'HTTP');
  cutUnread(server, limits.http.unreadMs);
  const sockets = socketsOf(server);
  const enter = createEntrance({
    corsOrigins: options.corsOrigins,
    headers: limits.http.headers,
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
  server.on('clientError', answerBrokenRequest(limits));
  return {
    port: await listen(server, 'TETHER_HTTP_PORT', host, port),
    close: (graceMs) => {
      closing = true;
      return shutDown(server, sockets, graceMs);
    },
  };
}

/** A certificate is asked for and not insisted on: who lacks one is told so in HTTP, or is one of those who need none. */
function createListener(certificates: Certificates | undefined, { http, requestMs }: DoorLimits): Server | TlsServer {
  const options: ServerOptions = {
    keepAliveTimeout,
    maxHeaderSize: http.headerBytes,
    headersTimeout: http.headersMs,
    requestTimeout: requestMs,
    // How often it is looked who is late.
    connectionsCheckingInterval: Math.min(5_000, http.headersMs / 4),
  };
  if (certificates === undefined) return countedHere(createServer(options));
  const server = createTlsServer({
    ...options,
    ...certificates.options(),
    requestCert: certificates.asked,
    rejectUnauthorized: false,
  });
  certificates.renew(server);
  return countedHere(server);
}

/** The library would leave out the headers beyond its limit, the credential among them, and say nothing. */
function countedHere<T extends Server | TlsServer>(server: T): T {
  server.maxHeadersCount = 0;
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
