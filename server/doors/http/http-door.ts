import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import type { Logger } from 'pino';
import { createJsonDoor, documentPath, type JsonDoor } from '../json/json-door.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import { portError } from '../port-error.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { boundTimeouts } from './bound-timeouts.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { letInOrigins } from './cors.ts';
import { badHost, brokenDown, nothingHere, wrongContentType, wrongMethod, wrongQuery } from './misdirected.ts';
import { createRpcHandlers, type RpcHandler } from './rpc-handlers.ts';

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

const livenessPath = '/healthz';

/** Serves RPCs over HTTP/1.1, by Connect, gRPC-Web and plain JSON, in plain text. Rejects when it cannot listen. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { rpcs, pipeline, limits, logger, host, port } = options;
  const handlers = new Map(createRpcHandlers(rpcs, pipeline, limits).map((each) => [each.path, each]));
  const json = createJsonDoor({ rpcs, pipeline, limits });
  const letIn = letInOrigins(options.corsOrigins);
  let closing = false;
  const server = createServer(timeouts, (request, response) => {
    const requestId = requestIdFrom(request.headers[requestIdHeader]);
    response.setHeader(requestIdHeader, requestId);
    // No cache may keep an answer: it belongs to one credential, and is true for a moment only.
    response.setHeader('cache-control', 'no-store');
    if (closing) response.setHeader('connection', 'close');
    response.once('close', () => closing && server.closeIdleConnections());
    if (letIn(request, response) === 'answered') return;
    serve(handlers, json, request, response, requestId).catch((thrown: unknown) => {
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

async function serve(
  handlers: ReadonlyMap<string, RpcHandler>,
  json: JsonDoor,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  const path = request.url?.split('?', 1)[0] ?? '';
  if (path === livenessPath) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    return;
  }
  if (path.startsWith('/v1/')) return json.answer(request, response, requestId);
  const rpc = handlers.get(path);
  if (rpc === undefined) return nothingHere(response, path, [...handlers.keys(), livenessPath, documentPath]);
  const { allowedMethods, supportedContentType, method } = rpc.handler;
  if (!allowedMethods.includes(request.method ?? '')) return wrongMethod(response, request, allowedMethods);
  const type = request.headers['content-type'] ?? '';
  const badType = () => wrongContentType(response, type, method.methodKind);
  const byQuery = request.method === 'GET';
  if (!byQuery && !supportedContentType(type)) return badType();
  const universal = universalRequest(request, response);
  if (universal === undefined) return badHost(response, request);
  boundTimeouts(universal.header);
  const answer = await rpc.answer(universal, requestId);
  if (answer.status === 415) return byQuery ? wrongQuery(response) : badType();
  await universalResponseToNodeResponse(answer, response);
}

/** Undefined when the request names no host that could be one. */
function universalRequest(request: IncomingMessage, response: ServerResponse) {
  if (!URL.canParse(request.url ?? '', `http://${request.headers.host ?? ''}`)) return undefined;
  return universalRequestFromNodeRequest(request, response, undefined, undefined);
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
