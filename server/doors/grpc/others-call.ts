import { ServerInterceptingCall, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { CallError } from '../../domain/error.ts';
import { Failure, refusalOf } from '../failure.ts';
import { tooSlow } from '../invalid-request.ts';
import { statusOfFailure } from './grpc-call.ts';
import { explainRefusals, type RefusedCall } from './library-refusals.ts';

interface OthersCall extends RefusedCall {
  /** Whether it takes a stream of requests, which takes as long as it takes. */
  readonly requestStream: boolean;
  readonly over: () => void;
}

/** A call of what the libraries serve, which is open to all: its request has the same time to arrive in as one of ours. */
export function othersCall(
  grpcCall: ServerInterceptingCallInterface,
  { path, limits, requestStream, over }: OthersCall,
): ServerInterceptingCall {
  let late: NodeJS.Timeout | undefined;
  const refuse = (refusal: CallError | Failure) =>
    grpcCall.sendStatus(statusOfFailure(refusal instanceof Failure ? refusal : refusalOf(refusal)));
  explainRefusals(grpcCall, { path, limits }, refuse);
  return new ServerInterceptingCall(grpcCall, {
    start: (next) =>
      next({
        onReceiveMetadata(metadata, nextMetadata) {
          if (!requestStream) late = setTimeout(() => refuse(tooSlow(limits)), limits.requestMs);
          nextMetadata(metadata);
        },
        onReceiveHalfClose(nextHalfClose) {
          clearTimeout(late);
          nextHalfClose();
        },
        onCancel() {
          clearTimeout(late);
          over();
        },
      }),
  });
}
