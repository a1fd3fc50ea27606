import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { handleUnaryCall, ServerUnaryCall, StatusObject } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import { CallerGone } from '../caller-gone.ts';
import type { Failure } from '../failure.ts';
import { tooLarge, unreadable } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import type { Call, Pipeline } from '../pipeline.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { statusDetails, statusDetailsKey } from './status-details.ts';

/** Requests and responses pass grpc-js as bytes, so that what cannot be parsed is answered here, with a detail. */
export type Bytes = Buffer;

/** One RPC behind grpc-js. */
export function unaryHandler(rpc: Rpc, pipeline: Pipeline, limits: DoorLimits): handleUnaryCall<Bytes, Bytes> {
  return (grpcCall, respond) => {
    const caller = listenToCaller(grpcCall);
    const call = callOf(grpcCall, caller.signal);
    answer(rpc, pipeline, limits, grpcCall.request, call).then(
      (bytes) => {
        caller.stopListening();
        const metadata = new Metadata();
        metadata.set(requestIdHeader, call.requestId);
        grpcCall.sendMetadata(metadata);
        respond(null, bytes);
      },
      (thrown: unknown) => {
        caller.stopListening();
        respond(statusOfFailure(pipeline.fail(rpc, call, thrown, 'after'), call));
      },
    );
  };
}

async function answer(rpc: Rpc, pipeline: Pipeline, limits: DoorLimits, request: Bytes, call: Call): Promise<Bytes> {
  const principal = await pipeline.admit(rpc, call);
  const message = parse(rpc, limits, request);
  if (message instanceof Error) throw pipeline.fail(rpc, call, message, 'before');
  const response = toBinary(rpc.method.output, await pipeline.run(rpc, principal, message, call));
  return Buffer.from(response.buffer, response.byteOffset, response.byteLength);
}

function parse(rpc: Rpc, limits: DoorLimits, request: Bytes) {
  if (request.byteLength > limits.requestBytes) return tooLarge(limits.requestBytes, request.byteLength);
  try {
    return fromBinary(rpc.method.input, request);
  } catch (cause) {
    return unreadable(
      rpc.method.input,
      cause instanceof TypeError ? 'a text in it is not UTF-8' : 'the bytes do not parse',
    );
  }
}

function callOf(grpcCall: ServerUnaryCall<Bytes, Bytes>, signal: AbortSignal): Call {
  const [authorization] = grpcCall.metadata.get('authorization');
  const [requestId] = grpcCall.metadata.get(requestIdHeader);
  return {
    requestId: requestIdFrom(requestId),
    authorization: authorization?.toString(),
    signal,
  };
}

/**
 * The deadline is looked at first: `cancelled` fires for that as well. It fires once more when the call has ended; nobody
 * listens by then, and an error that nobody reads is not made.
 */
function listenToCaller(grpcCall: ServerUnaryCall<Bytes, Bytes>): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  const deadline = Number(grpcCall.getDeadline());
  // A timer may fire up to a millisecond early.
  const passed = () => Date.now() + 1 >= deadline;
  const leave = () => controller.abort(new CallerGone(passed() ? 'deadline' : 'hung-up'));
  if (Date.now() >= deadline) leave();
  else grpcCall.once('cancelled', leave);
  return { signal: controller.signal, stopListening: () => grpcCall.off('cancelled', leave) };
}

function statusOfFailure({ code, message, detail }: Failure, call: Call): Partial<StatusObject> {
  const metadata = new Metadata();
  metadata.set(requestIdHeader, call.requestId);
  if (detail !== undefined) metadata.set(statusDetailsKey, statusDetails(code, message, detail));
  return { code: Number(code), details: message, metadata };
}
