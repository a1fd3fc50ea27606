import { create } from '@bufbuild/protobuf';
import type { ListStopsRequestSchema } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { ListStopsResponseSchema, StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import type { StopVerbs } from '../../lifecycle/stops/stop-verbs.ts';
import { stopToWire } from '../proto/stop.ts';
import { rolesOfStopService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listStopsRpc(
  stops: StopVerbs,
): UnaryRpc<typeof ListStopsRequestSchema, typeof ListStopsResponseSchema> {
  return {
    kind: 'unary',
    method: StopService.method.listStops,
    roles: rolesOfStopService.listStops,
    async handle(principal) {
      return create(ListStopsResponseSchema, { stops: (await stops.list(principal)).map(stopToWire) });
    },
  };
}
