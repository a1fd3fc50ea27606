import { create } from '@bufbuild/protobuf';
import type { StopRequestSchema } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { StopResponseSchema, StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import type { StopVerbs } from '../../lifecycle/stops/stop-verbs.ts';
import { listStops } from '../proto/find-out.ts';
import { stopKindFromWire, stopToWire } from '../proto/stop.ts';
import { rolesOfStopService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function stopRpc(stops: StopVerbs): UnaryRpc<typeof StopRequestSchema, typeof StopResponseSchema> {
  return {
    kind: 'unary',
    method: StopService.method.stop,
    roles: rolesOfStopService.stop,
    async handle(principal, { kind, name, reason }) {
      const stop = await stops.stop(principal, { kind: stopKindFromWire(kind), name, reason });
      return create(StopResponseSchema, { stop: stopToWire(stop) });
    },
    waysToFindOut: () => [listStops],
  };
}
