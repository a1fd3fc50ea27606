import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ProbeNowRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ProbeNowResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { probeDispositionToWire } from '../proto/enums.ts';
import { getAction } from '../proto/find-out.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function probeNowRpc(
  lifecycle: Lifecycle,
): UnaryRpc<typeof ProbeNowRequestSchema, typeof ProbeNowResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.probeNow,
    roles: rolesOfActionService.probeNow,
    async handle(principal, request, signal) {
      const probed = await lifecycle.probeNow(principal, actionIdFromWire(request.actionId), signal);
      return create(ProbeNowResponseSchema, {
        disposition: probeDispositionToWire[probed.disposition],
        settled: probed.settled,
        action: actionToWire(probed.action, probed.error),
        modelJson: probed.modelJson,
        nextProbeAt: probed.nextProbeAt === null ? undefined : timestampFromDate(probed.nextProbeAt),
      });
    },
    waysToFindOut: ({ actionId }) => [getAction(actionId)],
  };
}
