import type { handleUnaryCall } from '@grpc/grpc-js';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { UnaryRpc } from '../rpc/rpc.ts';
import { type Admitted, admittedWith } from './gate.ts';
import { type Bytes, headersOf, parse, serialize, statusOfFailure } from './grpc-call.ts';

/** One RPC with one answer behind grpc-js, and behind the gate. */
export function unaryHandler(rpc: UnaryRpc, pipeline: Pipeline, limits: DoorLimits): handleUnaryCall<Bytes, Bytes> {
  return (grpcCall, respond) => {
    const admitted = admittedWith(grpcCall.metadata);
    const { call, stopListening } = admitted;
    answer(rpc, pipeline, limits, grpcCall.request, admitted).then(
      (bytes) => {
        stopListening();
        grpcCall.sendMetadata(headersOf(call));
        respond(null, bytes);
      },
      (thrown: unknown) => {
        stopListening();
        respond(statusOfFailure(pipeline.fail(rpc, call, thrown, 'after'), call));
      },
    );
  };
}

async function answer(
  rpc: UnaryRpc,
  pipeline: Pipeline,
  limits: DoorLimits,
  request: Bytes,
  { call, principal }: Admitted,
): Promise<Bytes> {
  const message = parse(rpc, limits, request);
  if (message instanceof Error) throw pipeline.fail(rpc, call, message, 'before');
  return serialize(rpc, await pipeline.run(rpc, principal, message, call));
}
