import { create } from '@bufbuild/protobuf';
import type { ResolveRequest, ResolveRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ResolveResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle, ResolveInput } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { invalidRequest } from '../invalid-request.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { getAction } from '../proto/find-out.ts';
import { jsonTextFromWire } from '../proto/json-text.ts';
import { dateFromWire } from '../proto/timestamp.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function resolveRpc(lifecycle: Lifecycle): UnaryRpc<typeof ResolveRequestSchema, typeof ResolveResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.resolve,
    roles: rolesOfActionService.resolve,
    async handle(principal, request) {
      const { action, error, modelJson, idempotentReplay } = await lifecycle.resolve(principal, inputOf(request));
      return create(ResolveResponseSchema, { action: actionToWire(action, error), modelJson, idempotentReplay });
    },
    waysToFindOut: ({ actionId }) => [getAction(actionId)],
  };
}

function inputOf({ actionId, landed, resultJson, note, expectedAttempts, observedAt }: ResolveRequest): ResolveInput {
  if (observedAt === undefined) throw invalidRequest({ message: 'observed_at is required.', field: 'observed_at' });
  if (!landed && resultJson !== '')
    throw invalidRequest({ message: 'result_json goes with a write that landed.', field: 'result_json' });
  return {
    actionId: actionIdFromWire(actionId),
    landed,
    resultJson: jsonTextFromWire(resultJson, 'result_json'),
    note,
    expectedAttempts,
    observedAt: dateFromWire(observedAt, 'observed_at'),
  };
}
