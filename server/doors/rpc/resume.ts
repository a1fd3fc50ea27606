import { create } from '@bufbuild/protobuf';
import type { ResumeRequestSchema } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { ResumeResponseSchema, StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import type { StopVerbs } from '../../lifecycle/stops/stop-verbs.ts';
import { listStops } from '../proto/find-out.ts';
import { stopKindFromWire, stopToWire } from '../proto/stop.ts';
import { rolesOfStopService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function resumeRpc(stops: StopVerbs): UnaryRpc<typeof ResumeRequestSchema, typeof ResumeResponseSchema> {
  return {
    kind: 'unary',
    method: StopService.method.resume,
    roles: rolesOfStopService.resume,
    async handle(principal, { kind, name, reason }) {
      const stop = await stops.resume(principal, { kind: stopKindFromWire(kind), name, reason });
      return create(ResumeResponseSchema, { stop: stopToWire(stop) });
    },
    waysToFindOut: () => [listStops],
  };
}
