import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { headerStatusDetailsBin, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { type handleUnaryCall, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import {
  type InvokeRequest,
  InvokeRequestSchema,
  type InvokeResponse,
  InvokeResponseSchema,
  ToolEndpoint,
} from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { statusCodes } from '../../server/dispatch/transport.ts';
import type { EndpointAnswer, EndpointCall } from './endpoint-answer.ts';
import { callOf, protoError } from './endpoint-proto.ts';
import type { Serve } from './endpoint-serve.ts';

/** grpc-js, behind a plain TCP relay: the library cannot drop a connection, the relay can. */
export const serveGrpc: Serve = async (decide, port) => {
  const server = new Server();
  const relayed = new Set<Socket>();
  let connections = 0;
  server.addService(definition, { invoke: invokeBy(decide, () => reset(relayed)) });
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

function invokeBy(
  decide: (call: EndpointCall) => Promise<EndpointAnswer>,
  dropAll: () => void,
): handleUnaryCall<InvokeRequest, InvokeResponse> {
  return async (call, callback) => {
    const headers = Object.fromEntries(Object.entries(call.metadata.getMap()).map(([k, v]) => [k, String(v)]));
    const answer = await decide(callOf('grpc', call.request, headers));
    switch (answer.kind) {
      case 'result':
        callback(null, create(InvokeResponseSchema, { outcome: { case: 'resultJson', value: answer.json } }));
        return;
      case 'refusal':
        callback(null, create(InvokeResponseSchema, { outcome: { case: 'refusal', value: protoError(answer.error) } }));
        return;
      case 'empty':
        callback(null, create(InvokeResponseSchema));
        return;
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

const definition = {
  invoke: {
    path: `/${ToolEndpoint.typeName}/${ToolEndpoint.method.invoke.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: InvokeRequest) => Buffer.from(toBinary(InvokeRequestSchema, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(InvokeRequestSchema, bytes),
    responseSerialize: (message: InvokeResponse) => Buffer.from(toBinary(InvokeResponseSchema, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(InvokeResponseSchema, bytes),
  },
} as const;
