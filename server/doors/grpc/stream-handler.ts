import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js';
import { answerOrLeave } from '../answer-or-leave.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { StreamRpc } from '../rpc/rpc.ts';
import { type Admitted, admittedWith } from './gate.ts';
import { type Bytes, deadlineHasPassed, headersOf, parse, serialize, statusOfFailure } from './grpc-call.ts';

type GrpcStream = ServerWritableStream<Bytes, Bytes>;

/** One RPC with a stream of answers behind grpc-js, and behind the gate. */
export function streamHandler(
  rpc: StreamRpc,
  pipeline: Pipeline,
  limits: DoorLimits,
): handleServerStreamingCall<Bytes, Bytes> {
  return (grpcCall) => {
    const admitted = admittedWith(grpcCall.metadata);
    const { call } = admitted;
    pour(rpc, pipeline, limits, grpcCall, admitted).then(
      (whole) => {
        if (whole) grpcCall.end();
      },
      (thrown: unknown) => {
        // Emitted it becomes the status, after what was written before; destroying the stream with it would send none.
        grpcCall.emit('error', statusOfFailure(pipeline.fail(rpc, call, thrown, 'after'), call));
      },
    );
  };
}

/** True when all was sent that there is; false when the library has ended the call, or is about to, with its deadline. */
async function pour(
  rpc: StreamRpc,
  pipeline: Pipeline,
  limits: DoorLimits,
  grpcCall: GrpcStream,
  { call, principal }: Admitted,
): Promise<boolean> {
  const request = parse(rpc, limits, grpcCall.request);
  if (request instanceof Error) throw pipeline.fail(rpc, call, request, 'before');
  const ahead = writeAhead(grpcCall, call.signal);
  let begun = false;
  for await (const message of pipeline.stream(rpc, principal, request, call)) {
    // Nothing may be written after the status, and the library tells of it only when that is sent.
    if (deadlineHasPassed(grpcCall, 1)) return false;
    if (!begun) grpcCall.sendMetadata(headersOf(call));
    begun = true;
    await ahead(serialize(rpc, message));
  }
  return true;
}

/** Bytes of a stream that may be on their way before the flow control has let them through. */
const mostAhead = 65_536;

/**
 * Writes messages, and waits while more is on its way than that. The library's own mark is 16 messages of any size, which would be
 * megabytes for each caller that does not read; and to wait for each message would take a turn of the event loop and a packet for it.
 */
function writeAhead(grpcCall: GrpcStream, signal: AbortSignal): (bytes: Bytes) => Promise<void> {
  let onTheWay = 0;
  let goOn: (() => void) | undefined;
  return async (bytes) => {
    onTheWay += bytes.byteLength;
    grpcCall.write(bytes, () => {
      onTheWay -= bytes.byteLength;
      if (onTheWay <= mostAhead) goOn?.();
    });
    if (onTheWay <= mostAhead) return;
    const { promise: room, resolve } = Promise.withResolvers<void>();
    goOn = resolve;
    // It is never called back for a caller that is gone: then the stream itself says so.
    await answerOrLeave(room, signal, () => undefined).catch(() => undefined);
  };
}
