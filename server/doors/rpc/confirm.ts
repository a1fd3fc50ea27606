import { create } from '@bufbuild/protobuf';
import type { ConfirmRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ConfirmResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../proto/action.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { confirmStatusToWire } from '../proto/enums.ts';
import { errorToWire } from '../proto/error.ts';
import { rolesOfActionService } from '../roles.ts';
import type { Rpc } from './rpc.ts';

export function confirmRpc(lifecycle: Lifecycle): Rpc<typeof ConfirmRequestSchema, typeof ConfirmResponseSchema> {
  return {
    method: ActionService.method.confirm,
    roles: rolesOfActionService.confirm,
    async handle(principal, request, signal) {
      const { idempotencyKey, acknowledgeHighRisk, acknowledgeIndeterminate, previewDigest, expectedAttempts } =
        request;
      const actionId = actionIdFromWire(request.actionId);
      const confirmed = await lifecycle.confirm(
        principal,
        { actionId, idempotencyKey, acknowledgeHighRisk, acknowledgeIndeterminate, previewDigest, expectedAttempts },
        signal,
      );
      return create(ConfirmResponseSchema, {
        status: confirmStatusToWire[confirmed.status],
        action: actionToWire(confirmed.action, confirmed.error),
        resultJson: confirmed.result ?? undefined,
        error: confirmed.error === null ? undefined : errorToWire(confirmed.error),
        modelJson: confirmed.modelJson,
        idempotentReplay: confirmed.idempotentReplay,
      });
    },
    waysToFindOut: ({ actionId }) => [
      {
        action: 'get',
        argumentsJson: JSON.stringify({ action_id: actionId }),
        description: 'Read what is known of the action before anything is repeated.',
      },
    ],
  };
}
