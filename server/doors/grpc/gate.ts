import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
} from '@grpc/grpc-js';
import type { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Call } from '../call.ts';
import { CallerGone } from '../caller-gone.ts';
import { Failure, refusalOf } from '../failure.ts';
import { tooSlow } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Connections } from './connections.ts';
import { forgetFarDeadline } from './far-deadlines.ts';
import { callOf, deadlineHasPassed, pathOf, statusOfFailure } from './grpc-call.ts';
import { explainRefusals, type RefusedCall } from './library-refusals.ts';

/** A call that was let in, for its handler. */
export interface Admitted {
  readonly call: Call;
  readonly principal: Principal;
  /** It has been answered: the library ends it now, and that is not its caller's leaving. */
  stopListening(): void;
}

/** Hands over what was admitted; from then on the handler sees to the end of the call. */
type HandOver = () => Admitted;

const handOver = Symbol('hand over');
interface Carrier extends Metadata {
  [handOver]?: HandOver;
}

/** For the handler: the call that the gate let in, which comes with its metadata. */
export function admittedWith(metadata: Metadata): Admitted {
  const carrier: Carrier = metadata;
  const take = carrier[handOver];
  if (take === undefined) throw new Error('a call reached its handler past the gate');
  return take();
}

export interface GateOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly limits: DoorLimits;
  readonly connections: Connections;
}

/**
 * Admits calls by what stands before their requests, so that a stranger's request is neither read nor held, and gives requests a
 * time to arrive in. What others serve on this port is open to all, and has the same time.
 */
export function createGate({ rpcs, pipeline, limits, connections }: GateOptions): ServerInterceptor {
  const byPath = new Map(rpcs.map((rpc) => [pathOf(rpc), rpc]));
  return ({ path, requestStream }, grpcCall) => {
    const rpc = byPath.get(path);
    forgetFarDeadline(grpcCall);
    const connection = connections.of(grpcCall.getConnectionInfo());
    if (connection !== undefined) connection.calls += 1;
    const over = () => {
      if (connection === undefined) return;
      connection.calls -= 1;
      connection.idleSince = performance.now();
    };
    const listener =
      rpc === undefined
        ? open(grpcCall, { path, limits }, requestStream, over)
        : gated(rpc, grpcCall, { path, pipeline, limits, closing: connection?.closing }, over);
    return new ServerInterceptingCall(grpcCall, { start: (next) => next(listener) });
  };
}

interface Surroundings extends RefusedCall, Pick<GateOptions, 'pipeline'> {
  readonly closing: AbortSignal | undefined;
}

function gated(
  rpc: Rpc,
  grpcCall: ServerInterceptingCallInterface,
  { path, pipeline, limits, closing }: Surroundings,
  over: () => void,
): ServerListener {
  const caller = new AbortController();
  /** Let in, and not with its handler yet, which gets it when the request is there. */
  let waiting: Call | undefined;
  let answered = false;
  let late: NodeJS.Timeout | undefined;
  const stopListening = () => {
    answered = true;
  };
  // A timer may fire up to a millisecond early.
  const leave = () => caller.abort(new CallerGone(deadlineHasPassed(grpcCall, 1) ? 'deadline' : 'hung-up'));
  return {
    onReceiveMetadata(metadata, next) {
      const call = callOf(metadata, grpcCall, caller.signal, closing);
      const refuse = (thrown: unknown) => {
        waiting = undefined;
        grpcCall.sendStatus(statusOfFailure(pipeline.fail(rpc, call, thrown, 'before'), call));
      };
      explainRefusals(grpcCall, { path, limits }, refuse);
      if (deadlineHasPassed(grpcCall)) leave();
      pipeline.admit(rpc, call).then((principal) => {
        if (caller.signal.aborted) return refuse(caller.signal.reason);
        const carrier: Carrier = metadata;
        carrier[handOver] = () => {
          waiting = undefined;
          return { call, principal, stopListening };
        };
        waiting = call;
        late = setTimeout(() => refuse(tooSlow(limits)), limits.requestMs);
        next(metadata);
      }, refuse);
    },
    onReceiveHalfClose(next) {
      clearTimeout(late);
      next();
    },
    // It fires for a deadline too, and once more when the call has ended; then nobody makes an error that nobody reads.
    onCancel() {
      clearTimeout(late);
      over();
      if (!answered) leave();
      if (waiting !== undefined) pipeline.fail(rpc, waiting, caller.signal.reason, 'before');
    },
  };
}

/** What is served by the libraries. A stream of requests takes as long as it takes. */
function open(
  grpcCall: ServerInterceptingCallInterface,
  about: RefusedCall,
  requestStream: boolean,
  over: () => void,
): ServerListener {
  let late: NodeJS.Timeout | undefined;
  const refuse = (refusal: CallError | Failure) =>
    grpcCall.sendStatus(statusOfFailure(refusal instanceof Failure ? refusal : refusalOf(refusal)));
  explainRefusals(grpcCall, about, refuse);
  return {
    onReceiveMetadata(metadata, next) {
      if (!requestStream) late = setTimeout(() => refuse(tooSlow(about.limits)), about.limits.requestMs);
      next(metadata);
    },
    onReceiveHalfClose(next) {
      clearTimeout(late);
      next();
    },
    onCancel() {
      clearTimeout(late);
      over();
    },
  };
}
