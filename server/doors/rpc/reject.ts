import { create } from '@bufbuild/protobuf';
import type { RejectRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, RejectResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { getAction } from '../proto/find-out.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function rejectRpc(lifecycle: Lifecycle): UnaryRpc<typeof RejectRequestSchema, typeof RejectResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.reject,
    roles: rolesOfActionService.reject,
    async handle(principal, request) {
      const input = { actionId: actionIdFromWire(request.actionId), reason: request.reason };
      const { action, error, modelJson, idempotentReplay } = await lifecycle.reject(principal, input);
      return create(RejectResponseSchema, { action: actionToWire(action, error), modelJson, idempotentReplay });
    },
    waysToFindOut: ({ actionId }) => [getAction(actionId)],
  };
}
