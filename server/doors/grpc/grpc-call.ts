import type { Message } from '@bufbuild/protobuf';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { ServerUnaryCall, ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import type { CallError } from '../../domain/error.ts';
import type { Call } from '../call.ts';
import { CallerGone } from '../caller-gone.ts';
import type { Failure } from '../failure.ts';
import { tooLarge, unreadable } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { statusDetails, statusDetailsKey } from './status-details.ts';

/** Requests and responses pass grpc-js as bytes, so that what cannot be parsed is answered here, with a detail. */
export type Bytes = Buffer;

type GrpcCall = ServerUnaryCall<Bytes, Bytes> | ServerWritableStream<Bytes, Bytes>;

/** A call of grpc-js as the pipeline sees it; the signal is that of `listenToCaller`. */
export function callOf(grpcCall: GrpcCall, signal: AbortSignal): Call {
  const [authorization] = grpcCall.metadata.get('authorization');
  const [requestId] = grpcCall.metadata.get(requestIdHeader);
  return {
    requestId: requestIdFrom(requestId),
    door: 'grpc',
    authorization: authorization?.toString(),
    peer: addressIn(grpcCall.getPeer()),
    signal,
  };
}

/** An address out of an address and a port. */
function addressIn(peer: string): string {
  return peer.slice(0, Math.max(0, peer.lastIndexOf(':')));
}

/**
 * The deadline is looked at first: `cancelled` fires for that as well. It fires once more when the call has ended; nobody
 * listens by then, and an error that nobody reads is not made.
 */
export function listenToCaller(grpcCall: GrpcCall): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  // A timer may fire up to a millisecond early.
  const leave = () => controller.abort(new CallerGone(deadlineHasPassed(grpcCall, 1) ? 'deadline' : 'hung-up'));
  if (deadlineHasPassed(grpcCall)) leave();
  else grpcCall.once('cancelled', leave);
  return { signal: controller.signal, stopListening: () => grpcCall.off('cancelled', leave) };
}

/** Whether the library has ended the call by itself, or is about to within so many ms. */
export function deadlineHasPassed(grpcCall: GrpcCall, withinMs = 0): boolean {
  return Date.now() + withinMs >= Number(grpcCall.getDeadline());
}

/** The request, or why it is none. */
export function parse(rpc: Rpc, limits: DoorLimits, request: Bytes): Message | CallError {
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

export function serialize(rpc: Rpc, message: Message): Bytes {
  const bytes = toBinary(rpc.method.output, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What goes before the answers. */
export function headersOf(call: Call): Metadata {
  const metadata = new Metadata();
  metadata.set(requestIdHeader, call.requestId);
  return metadata;
}

/** A failure as grpc-js sends it, the detail in the trailers. */
export function statusOfFailure({ code, message, detail }: Failure, call: Call): Partial<StatusObject> {
  const metadata = headersOf(call);
  if (detail !== undefined) metadata.set(statusDetailsKey, statusDetails(code, message, detail));
  return { code: Number(code), details: message, metadata };
}
