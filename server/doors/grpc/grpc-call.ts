import type { DescMessage, Message } from '@bufbuild/protobuf';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { ServerInterceptingCallInterface, StatusObject } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import type { CallError } from '../../domain/error.ts';
import { onceFor } from '../../domain/once-for.ts';
import type { Call } from '../call.ts';
import type { Failure } from '../failure.ts';
import { tooLarge, unreadable } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Rpc, UnaryRpc } from '../rpc/rpc.ts';
import { traceContextOf } from '../trace-context.ts';
import { statusDetails, statusDetailsKey } from './status-details.ts';

/** Requests and responses pass grpc-js as bytes, so that what cannot be parsed is answered here, with a detail. */
export type Bytes = Buffer;

/** What of a call of grpc-js is the same before and at its handler. */
type GrpcCall = Pick<ServerInterceptingCallInterface, 'getDeadline'>;

/** Where an RPC is called. */
export function pathOf({ method }: Rpc): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** A call of grpc-js as the pipeline sees it. */
export function callOf(
  metadata: Metadata,
  grpcCall: Pick<ServerInterceptingCallInterface, 'getConnectionInfo'>,
  signal: AbortSignal,
  closing: AbortSignal | undefined,
): Call {
  const [authorization] = metadata.get('authorization');
  const [requestId] = metadata.get(requestIdHeader);
  const [traceparent] = metadata.get('traceparent');
  const [tracestate] = traceparent === undefined ? [] : metadata.get('tracestate');
  return {
    requestId: requestIdFrom(requestId),
    door: 'grpc',
    incoming: traceContextOf(traceparent, tracestate),
    authorization: authorization?.toString(),
    peer: grpcCall.getConnectionInfo().remoteAddress ?? '',
    signal,
    closing,
  };
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

export function serialize({ method }: Rpc, message: Message): Bytes {
  return bytesOf(method.output, message);
}

/** The same, written once for all the calls that an answer goes to. */
export function serializeOnce({ method, sharesAnswers }: UnaryRpc, message: Message): Bytes {
  return sharesAnswers ? sharedBytes(method.output)(message) : bytesOf(method.output, message);
}

const sharedBytes = onceFor((type: DescMessage) => onceFor((message: Message) => bytesOf(type, message)));

function bytesOf(type: DescMessage, message: Message): Bytes {
  const bytes = toBinary(type, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What goes before the answers. */
export function headersOf(call: Call): Metadata {
  const metadata = new Metadata();
  metadata.set(requestIdHeader, call.requestId);
  return metadata;
}

/** A failure as grpc-js sends it, the detail in the trailers. */
export function statusOfFailure({ code, message, detail }: Failure, call?: Call): StatusObject {
  const metadata = call === undefined ? new Metadata() : headersOf(call);
  if (detail !== undefined) metadata.set(statusDetailsKey, statusDetails(code, message, detail));
  return { code: Number(code), details: message, metadata };
}
