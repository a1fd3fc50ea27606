import type { ConfirmRequestSchema, ConfirmResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { confirmInputFromWire } from '../proto/confirm-input.ts';
import { confirmedToWire } from '../proto/confirmed.ts';
import { getAction } from '../proto/find-out.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function confirmRpc(lifecycle: Lifecycle): UnaryRpc<typeof ConfirmRequestSchema, typeof ConfirmResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.confirm,
    roles: rolesOfActionService.confirm,
    async handle(principal, request, signal) {
      return confirmedToWire(await lifecycle.confirm(principal, confirmInputFromWire(request), signal));
    },
    waysToFindOut: ({ actionId }) => [getAction(actionId)],
  };
}
