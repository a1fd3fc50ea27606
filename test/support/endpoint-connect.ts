import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { ConnectError, createContextKey, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { InvokeResponseSchema, ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { statusCodes } from '../../server/dispatch/transport.ts';
import { headersOf, sendHttp } from './endpoint-json.ts';
import { callOf, protoError } from './endpoint-proto.ts';
import type { Serve } from './endpoint-serve.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchangeKey = createContextKey<Exchange | undefined>(undefined);

/** connect-node over HTTP/1.1. */
export const serveConnect: Serve = async (decide, port) => {
  const exchanges = new WeakMap<object, Exchange>();
  const adapter = connectNodeAdapter({
    requestPathPrefix: '/rpc',
    contextValues: (request) => createContextValues().set(exchangeKey, exchanges.get(request)),
    routes: (router) => {
      router.service(ToolEndpoint, {
        async invoke(message, context) {
          const exchange = context.values.get(exchangeKey);
          if (exchange === undefined) throw new Error('no exchange');
          const answer = await decide(callOf('connect', message, headersOf(exchange.request)));
          switch (answer.kind) {
            case 'result':
              return create(InvokeResponseSchema, { outcome: { case: 'resultJson', value: answer.json } });
            case 'refusal':
              return create(InvokeResponseSchema, { outcome: { case: 'refusal', value: protoError(answer.error) } });
            case 'empty':
              return create(InvokeResponseSchema);
            case 'status':
              throw new ConnectError(
                answer.message ?? '',
                statusCodes.indexOf(answer.code) + 1,
                undefined,
                answer.detail ? [{ desc: ActionableErrorSchema, value: protoError(answer.detail) }] : undefined,
              );
            default:
              sendHttp(answer, exchange.request, exchange.response);
              return new Promise(() => undefined);
          }
        },
      });
    },
  });
  const server = createServer((request, response) => {
    exchanges.set(request, { request, response });
    adapter(request, response);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    connections: () => connections,
    port: (server.address() as AddressInfo).port,
    path: '/rpc',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
