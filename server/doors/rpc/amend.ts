import { create } from '@bufbuild/protobuf';
import type { AmendRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, AmendResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { getAction, getByRequestId } from '../proto/find-out.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function amendRpc(lifecycle: Lifecycle): UnaryRpc<typeof AmendRequestSchema, typeof AmendResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.amend,
    roles: rolesOfActionService.amend,
    async handle(principal, request, signal) {
      const { argumentsJson, requestId, tool } = request;
      const input = { actionId: actionIdFromWire(request.actionId), argumentsJson, requestId, tool };
      const amended = await lifecycle.amend(principal, input, signal);
      return create(AmendResponseSchema, {
        action: actionToWire(amended.action, amended.error),
        superseded: actionToWire(amended.superseded, amended.supersededError),
        modelJson: amended.modelJson,
        idempotentReplay: amended.idempotentReplay,
      });
    },
    waysToFindOut: ({ actionId, requestId }) =>
      requestId === '' ? [getAction(actionId)] : [getByRequestId(requestId), getAction(actionId)],
  };
}
