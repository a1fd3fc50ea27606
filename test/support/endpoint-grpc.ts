import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { DescMessage, DescMethodUnary, DescService, MessageShape } from '@bufbuild/protobuf';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { headerStatusDetailsBin, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { type handleUnaryCall, Metadata, type MethodDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import { Authorizer } from '@tether/proto/tether/v1/authorizer_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { statusCodes } from '../../server/dispatch/transport.ts';
import type { EndpointAnswer } from './endpoint-answer.ts';
import { callOf, messageOf, petitionOf, probeOf, protoError } from './endpoint-proto.ts';
import type { Serve } from './endpoint-serve.ts';

/** grpc-js, behind a plain TCP relay: the library cannot drop a connection, the relay can. */
export const serveGrpc: Serve = async (decide, port) => {
  const server = new Server();
  const relayed = new Set<Socket>();
  let connections = 0;
  const dropAll = () => reset(relayed);
  server.addService(toolEndpoint, {
    invoke: unary((request, headers) => decide.invoke(callOf('grpc', request, headers)), messageOf.invoke, dropAll),
    probe: unary((request, headers) => decide.probe(probeOf('grpc', request, headers)), messageOf.probe, dropAll),
  });
  server.addService(authorizer, {
    authorize: unary(
      (request, headers) => decide.authorize(petitionOf('grpc', request, headers)),
      messageOf.authorize,
      dropAll,
    ),
  });
  const inner = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const relay = createServer({ noDelay: true }, (socket) => {
    relayed.add(socket);
    connections += 1;
    const upstream = connect({ port: inner, host: '127.0.0.1', noDelay: true });
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => upstream.destroy());
    socket.on('close', () => {
      relayed.delete(socket);
      upstream.destroy();
    });
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve));
  return {
    connections: () => connections,
    port: (relay.address() as AddressInfo).port,
    path: '',
    authorizerPath: '',
    close: async () => {
      const closed = new Promise<void>((resolve) => relay.close(() => resolve()));
      for (const socket of relayed) socket.destroy();
      server.forceShutdown();
      await closed;
    },
  };
};

function reset(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.resetAndDestroy();
}

/** A handler of one method: logs, decides, answers. */
function unary<Request, Response>(
  decide: (request: Request, headers: Readonly<Record<string, string>>) => Promise<EndpointAnswer>,
  messageIn: (answer: EndpointAnswer) => Response | undefined,
  dropAll: () => void,
): handleUnaryCall<Request, Response> {
  return async (call, callback) => {
    const headers = Object.fromEntries(Object.entries(call.metadata.getMap()).map(([k, v]) => [k, String(v)]));
    const answer = await decide(call.request, headers);
    const message = messageIn(answer);
    if (message !== undefined) {
      callback(null, message);
      return;
    }
    switch (answer.kind) {
      case 'status':
        callback({ code: statusCodes.indexOf(answer.code) + 1, details: answer.message, metadata: detailsOf(answer) });
        return;
      case 'silence':
        return;
      case 'reset':
        dropAll();
        return;
      default:
        throw new Error(`gRPC has no ${answer.kind}`);
    }
  };
}

function detailsOf({ code, message = '', detail }: Extract<EndpointAnswer, { kind: 'status' }>): Metadata {
  const metadata = new Metadata();
  if (detail === undefined) return metadata;
  const value = { desc: ActionableErrorSchema, value: protoError(detail) };
  const trailer = setTrailerStatus(
    new Headers(),
    new ConnectError(message, statusCodes.indexOf(code) + 1, undefined, [value]),
  );
  metadata.set(headerStatusDetailsBin, Buffer.from(trailer.get(headerStatusDetailsBin) ?? '', 'base64'));
  return metadata;
}

function definitionOf<I extends DescMessage, O extends DescMessage>(
  service: DescService,
  method: DescMethodUnary<I, O>,
): MethodDefinition<MessageShape<I>, MessageShape<O>> {
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => Buffer.from(toBinary(method.input, message)),
    requestDeserialize: (bytes) => fromBinary(method.input, bytes),
    responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes),
  };
}

const toolEndpoint = {
  invoke: definitionOf(ToolEndpoint, ToolEndpoint.method.invoke),
  probe: definitionOf(ToolEndpoint, ToolEndpoint.method.probe),
};
const authorizer = { authorize: definitionOf(Authorizer, Authorizer.method.authorize) };
