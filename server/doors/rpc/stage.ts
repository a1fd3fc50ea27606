import { create } from '@bufbuild/protobuf';
import type { StageRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, StageResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { millisecondsFromWire } from '../proto/duration.ts';
import { getByRequestId } from '../proto/find-out.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function stageRpc(lifecycle: Lifecycle): UnaryRpc<typeof StageRequestSchema, typeof StageResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.stage,
    roles: rolesOfActionService.stage,
    async handle(principal, request, signal) {
      const { tool, argumentsJson, userId, scope, planId, requestId } = request;
      const ttlMs = millisecondsFromWire(request.ttl, 'ttl');
      const input = { tool, argumentsJson, userId, scope, planId, requestId, ttlMs };
      const { action, error, modelJson, idempotentReplay } = await lifecycle.stage(principal, input, signal);
      return create(StageResponseSchema, { action: actionToWire(action, error), modelJson, idempotentReplay });
    },
    waysToFindOut({ requestId, tool }) {
      const again = {
        action: 'stage',
        tool,
        description: 'Propose it again: an identical proposal returns the same action.',
      };
      return requestId === '' ? [again] : [getByRequestId(requestId), again];
    },
  };
}
