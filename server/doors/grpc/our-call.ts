import { ServerInterceptingCall, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Principal } from '../../domain/principal.ts';
import type { Call } from '../call.ts';
import { CallerGone } from '../caller-gone.ts';
import { tooSlow } from '../invalid-request.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { answerOnce } from './answer-once.ts';
import { answerStream } from './answer-stream.ts';
import { type Bytes, callOf, deadlineHasPassed, parse, statusOfFailure } from './grpc-call.ts';
import { explainRefusals, noSingleRequest, type RefusedCall } from './library-refusals.ts';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

export interface OurCall extends RefusedCall {
  readonly pipeline: Pipeline;
  /** See {@link Call.closing}. */
  readonly closing: AbortSignal | undefined;
  /** Told once, when nothing of the call is under way any more. */
  readonly over: () => void;
}

/**
 * A call of one of our RPCs. It is let in by what stands before its request, so that a stranger's is neither read nor held; then its
 * request has a time to arrive in; then it is answered. The library's own handlers, which are given nothing of it, would make of
 * every call a stream of Node's, and wait with the end of an answer until the rest has gone out.
 */
export function ourCall(rpc: Rpc, grpcCall: ServerInterceptingCallInterface, our: OurCall): ServerInterceptingCall {
  return new Answered(grpcCall, listenerOf(rpc, grpcCall, our));
}

class Answered extends ServerInterceptingCall {
  readonly #start: () => void;

  constructor(grpcCall: ServerInterceptingCallInterface, listener: Listener) {
    super(grpcCall);
    this.#start = () => grpcCall.start(listener);
  }

  /** The library's handler would listen. */
  override start(): void {
    this.#start();
  }
}

function listenerOf(
  rpc: Rpc,
  grpcCall: ServerInterceptingCallInterface,
  { path, pipeline, limits, closing, over }: OurCall,
): Listener {
  const caller = new AbortController();
  /** Let in, and not with its handler yet, which gets it when the request is there. */
  let waiting: { readonly call: Call; readonly principal: Principal } | undefined;
  let refuse: (thrown: unknown) => void = () => undefined;
  let request: Bytes | undefined;
  let answered = false;
  let late: NodeJS.Timeout | undefined;
  // A timer may fire up to a millisecond early.
  const leave = () => caller.abort(new CallerGone(deadlineHasPassed(grpcCall, 1) ? 'deadline' : 'hung-up'));
  return {
    onReceiveMetadata(metadata) {
      const call = callOf(metadata, grpcCall, caller.signal, closing);
      refuse = (thrown) => {
        waiting = undefined;
        grpcCall.sendStatus(statusOfFailure(pipeline.fail(rpc, call, thrown, 'before'), call));
      };
      explainRefusals(grpcCall, { path, limits }, refuse);
      if (deadlineHasPassed(grpcCall)) leave();
      pipeline.admit(rpc, call).then((principal) => {
        if (caller.signal.aborted) return refuse(caller.signal.reason);
        waiting = { call, principal };
        late = setTimeout(() => refuse(tooSlow(limits)), limits.requestMs);
        grpcCall.startRead();
      }, refuse);
    },
    onReceiveMessage(message: Bytes) {
      if (request !== undefined) return refuse(noSingleRequest(path, 'a second'));
      request = message;
      grpcCall.startRead();
    },
    onReceiveHalfClose() {
      clearTimeout(late);
      if (waiting === undefined) return;
      // Who leaves looks like who sends nothing, until the end of this turn of the event loop.
      if (request === undefined) return void setImmediate(() => refuse(noSingleRequest(path, 'none')));
      const message = parse(rpc, limits, request);
      if (message instanceof Error) return refuse(message);
      const admitted = waiting;
      waiting = undefined;
      const ended = () => {
        answered = true;
      };
      if (rpc.kind === 'unary') answerOnce(rpc, grpcCall, message, { ...admitted, pipeline, ended });
      else answerStream(rpc, grpcCall, message, { ...admitted, pipeline, ended });
    },
    // It fires for a deadline too, and once more when the call has ended; then nobody makes an error that nobody reads.
    onCancel() {
      clearTimeout(late);
      over();
      if (!answered) leave();
      if (waiting !== undefined) pipeline.fail(rpc, waiting.call, caller.signal.reason, 'before');
    },
  };
}
