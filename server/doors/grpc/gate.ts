import type { ServerInterceptor } from '@grpc/grpc-js';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Connections } from './connections.ts';
import { forgetFarDeadline } from './far-deadlines.ts';
import { pathOf } from './grpc-call.ts';
import { othersCall } from './others-call.ts';
import { ourCall } from './our-call.ts';

export interface GateOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly limits: DoorLimits;
  readonly connections: Connections;
}

/** Where calls come in: those of our RPCs are answered by us, those of what others serve on this port by the library. */
export function createGate({ rpcs, pipeline, limits, connections }: GateOptions): ServerInterceptor {
  const byPath = new Map(rpcs.map((rpc) => [pathOf(rpc), rpc]));
  return ({ path, requestStream }, grpcCall) => {
    forgetFarDeadline(grpcCall);
    const connection = connections.of(grpcCall.getConnectionInfo());
    if (connection !== undefined) connection.calls += 1;
    const over = () => {
      if (connection === undefined) return;
      connection.calls -= 1;
      connection.idleSince = performance.now();
    };
    const rpc = byPath.get(path);
    if (rpc === undefined) return othersCall(grpcCall, { path, limits, requestStream, over });
    return ourCall(rpc, grpcCall, { path, pipeline, limits, closing: connection?.closing, over });
  };
}
