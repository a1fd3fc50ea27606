import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectError, type ContextValues, createContextKey, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Authorizer } from '@tether/proto/tether/v1/authorizer_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { statusCodes } from '../../server/dispatch/transport.ts';
import type { EndpointAnswer } from './endpoint-answer.ts';
import { headersOf, sendHttp } from './endpoint-json.ts';
import { callOf, messageOf, petitionOf, probeOf, protoError } from './endpoint-proto.ts';
import type { Serve } from './endpoint-serve.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchangeKey = createContextKey<Exchange | undefined>(undefined);

function exchangeOf(values: ContextValues): Exchange {
  const exchange = values.get(exchangeKey);
  if (exchange === undefined) throw new Error('no exchange');
  return exchange;
}

/** A status, thrown; anything else is plain HTTP, past the library. */
function otherwise(answer: EndpointAnswer, { request, response }: Exchange): Promise<never> {
  if (answer.kind === 'status') {
    const code = statusCodes.indexOf(answer.code) + 1;
    const details = answer.detail && [{ desc: ActionableErrorSchema, value: protoError(answer.detail) }];
    throw new ConnectError(answer.message ?? '', code, undefined, details);
  }
  sendHttp(answer, request, response);
  return new Promise(() => undefined);
}

/** connect-node over HTTP/1.1. */
export const serveConnect: Serve = async (decide, port) => {
  const exchanges = new WeakMap<object, Exchange>();
  const adapter = connectNodeAdapter({
    requestPathPrefix: '/rpc',
    contextValues: (request) => createContextValues().set(exchangeKey, exchanges.get(request)),
    routes: (router) => {
      router.service(ToolEndpoint, {
        invoke: async (message, { values }) => {
          const exchange = exchangeOf(values);
          const answer = await decide.invoke(callOf('connect', message, headersOf(exchange.request)));
          return messageOf.invoke(answer) ?? otherwise(answer, exchange);
        },
        probe: async (message, { values }) => {
          const exchange = exchangeOf(values);
          const answer = await decide.probe(probeOf('connect', message, headersOf(exchange.request)));
          return messageOf.probe(answer) ?? otherwise(answer, exchange);
        },
      });
      router.service(Authorizer, {
        authorize: async (message, { values }) => {
          const exchange = exchangeOf(values);
          const answer = await decide.authorize(petitionOf('connect', message, headersOf(exchange.request)));
          return messageOf.authorize(answer) ?? otherwise(answer, exchange);
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
    authorizerPath: '/rpc',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
