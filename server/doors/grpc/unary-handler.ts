import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Call } from '../call.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { UnaryRpc } from '../rpc/rpc.ts';
import { type Bytes, callOf, headersOf, listenToCaller, parse, serialize, statusOfFailure } from './grpc-call.ts';

/** One RPC with one answer behind grpc-js. */
export function unaryHandler(rpc: UnaryRpc, pipeline: Pipeline, limits: DoorLimits): handleUnaryCall<Bytes, Bytes> {
  return (grpcCall, respond) => {
    const caller = listenToCaller(grpcCall);
    const call = callOf(grpcCall, caller.signal);
    answer(rpc, pipeline, limits, grpcCall.request, call).then(
      (bytes) => {
        caller.stopListening();
        grpcCall.sendMetadata(headersOf(call));
        respond(null, bytes);
      },
      (thrown: unknown) => {
        caller.stopListening();
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
  call: Call,
): Promise<Bytes> {
  const principal = await pipeline.admit(rpc, call);
  const message = parse(rpc, limits, request);
  if (message instanceof Error) throw pipeline.fail(rpc, call, message, 'before');
  return serialize(rpc, await pipeline.run(rpc, principal, message, call));
}
