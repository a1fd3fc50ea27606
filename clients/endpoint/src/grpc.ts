/** Serves an endpoint over gRPC, from a server of @grpc/grpc-js. */
import { type DescMessage, type DescMethodUnary, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type {
  handleUnaryCall,
  MethodDefinition,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { ToolEndpoint } from '@tether/proto/clients/tether/v1/tool_endpoint_pb.ts';
import type { Endpoint } from './endpoint.ts';
import { answerInvoke, answerProbe } from './proto/answer-proto.ts';
import { RpcFault } from './proto/rpc-fault.ts';

/**
 * What `addService` takes: `server.addService(...grpcService(endpoint))`. The messages stay bytes until their signature is checked.
 */
export function grpcService(endpoint: Endpoint): [ServiceDefinition, UntypedServiceImplementation] {
  const { invoke, probe } = ToolEndpoint.method;
  return [
    { invoke: bytesOf(invoke), probe: bytesOf(probe) },
    {
      invoke: unary(endpoint, invoke, (request, key) => answerInvoke(endpoint, request, key)),
      probe: unary(endpoint, probe, (request, key) => answerProbe(endpoint, request, key)),
    },
  ];
}

function unary<I extends DescMessage, O extends DescMessage>(
  endpoint: Endpoint,
  method: DescMethodUnary<I, O>,
  answer: (request: MessageShape<I>, key: string | undefined) => Promise<MessageShape<O>>,
): handleUnaryCall<Buffer, Buffer> {
  async function reply({ request: bytes, metadata }: ServerUnaryCall<Buffer, Buffer>): Promise<Buffer> {
    const header = (name: string): string | undefined => metadata.get(name)[0]?.toString();
    const fault = await endpoint.checkSignature(bytes, header);
    if (fault !== undefined) throw new RpcFault('unauthenticated', fault);
    const message = await answer(parse(method.input, bytes), header('x-tether-idempotency-key'));
    return Buffer.from(toBinary(method.output, message));
  }
  return (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
    reply(call).then(
      (bytes) => callback(null, bytes),
      (error: unknown) => {
        if (!(error instanceof RpcFault)) endpoint.notRead('failed', error);
        const { code, message } = error instanceof RpcFault ? error : new RpcFault('internal', 'The call failed.');
        callback({ code, details: message });
      },
    );
  };
}

function parse<I extends DescMessage>(input: I, bytes: Uint8Array): MessageShape<I> {
  try {
    return fromBinary(input, bytes);
  } catch {
    throw new RpcFault('invalid_argument', `The message is no ${input.typeName}.`);
  }
}

function bytesOf(method: DescMethodUnary): MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}
