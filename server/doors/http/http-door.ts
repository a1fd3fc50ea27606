import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createJsonDoor } from '../json/json-door.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import { portError } from '../port-error.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { commonHeaders } from './common-headers.ts';
import { letInOrigins } from './cors.ts';
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
  readonly limits: DoorLimits;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
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

/** Serves RPCs over HTTP/1.1, by Connect, gRPC-Web and plain JSON, in plain text. Rejects when it cannot listen. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { rpcs, pipeline, limits, logger, host, port } = options;
  const services = {
    handlers: new Map(createRpcHandlers(rpcs, pipeline, limits).map((each) => [each.path, each])),
    json: createJsonDoor({ rpcs, pipeline, limits }),
  };
  const letIn = letInOrigins(options.corsOrigins);
  let closing = false;
  const server = createServer(timeouts, (request, response) => {
    const requestId = requestIdFrom(request.headers[requestIdHeader]);
    response.setHeader(requestIdHeader, requestId);
    response.setHeaders(commonHeaders);
    if (closing) response.setHeader('connection', 'close');
    response.once('close', () => closing && server.closeIdleConnections());
    if (letIn(request, response) === 'answered') return;
    routeRequest(services, request, response, requestId).catch((thrown: unknown) => {
      const bindings = { requestId, path: request.url, err: thrown };
      if (hasLost(response)) return logger.debug(bindings, 'an answer found nobody');
      logger.error(bindings, 'an answer could not be written');
      if (response.headersSent) response.destroy();
      else brokenDown(response, requestId);
    });
  });
  server.on('clientError', answerBrokenRequest);
  return {
    port: await listen(server, host, port),
    close: (graceMs) => {
      closing = true;
      return shutDown(server, graceMs);
    },
  };
}

/** Whether the connection is gone: what it was reset with may be heard of before that it is closed. */
function hasLost({ closed, errored, socket }: ServerResponse): boolean {
  return closed || errored !== null || socket === null || socket.destroyed;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(portError('TETHER_HTTP_PORT', host, port, error));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close((error) => {
      clearTimeout(patience);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
