import type { Message } from '@bufbuild/protobuf';
import { Metadata, type ServerInterceptingCallInterface, status as statuses } from '@grpc/grpc-js';
import { answerOrLeave } from '../answer-or-leave.ts';
import type { StreamRpc } from '../rpc/rpc.ts';
import type { Admitted } from './admitted.ts';
import { type Bytes, deadlineHasPassed, headersOf, serialize, statusOfFailure } from './grpc-call.ts';

type GrpcCall = ServerInterceptingCallInterface;

/** Answers a call of an RPC with a stream of answers. */
export function answerStream(rpc: StreamRpc, grpcCall: GrpcCall, request: Message, admitted: Admitted): void {
  const { call, pipeline } = admitted;
  pour(rpc, grpcCall, request, admitted).then(
    (whole) => {
      if (whole) grpcCall.sendStatus({ code: statuses.OK, details: 'OK', metadata: new Metadata() });
    },
    (thrown: unknown) => grpcCall.sendStatus(statusOfFailure(pipeline.fail(rpc, call, thrown, 'after'), call)),
  );
}

/** True when all was sent that there is; false when the library has ended the call, or is about to, with its deadline. */
async function pour(
  rpc: StreamRpc,
  grpcCall: GrpcCall,
  request: Message,
  { call, principal, pipeline }: Admitted,
): Promise<boolean> {
  const ahead = writeAhead(grpcCall, call.signal);
  let begun = false;
  for await (const answer of pipeline.stream(rpc, principal, request, call)) {
    // Nothing may be written after the status, and the library tells of it only when that is sent.
    if (deadlineHasPassed(grpcCall, 1)) return false;
    if (!begun) grpcCall.sendMetadata(headersOf(call));
    begun = true;
    await ahead(serialize(rpc, answer));
  }
  return true;
}

/** Bytes of a stream that may be on their way before the flow control has let them through. */
const mostAhead = 65_536;

/**
 * Sends messages, and waits while more is on its way than that: a caller who does not read holds no more. To wait for each message
 * would take a turn of the event loop and a packet for it.
 */
function writeAhead(grpcCall: GrpcCall, signal: AbortSignal): (bytes: Bytes) => Promise<void> {
  let onTheWay = 0;
  let goOn: (() => void) | undefined;
  return async (bytes) => {
    onTheWay += bytes.byteLength;
    grpcCall.sendMessage(bytes, () => {
      onTheWay -= bytes.byteLength;
      if (onTheWay <= mostAhead) goOn?.();
    });
    if (onTheWay <= mostAhead) return;
    const { promise: room, resolve } = Promise.withResolvers<void>();
    goOn = resolve;
    // It is never called back for a caller that is gone: then the signal says so.
    await answerOrLeave(room, signal, () => undefined).catch(() => undefined);
  };
}
