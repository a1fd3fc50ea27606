import { create } from '@bufbuild/protobuf';
import type { RecheckRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, RecheckResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function recheckRpc(lifecycle: Lifecycle): UnaryRpc<typeof RecheckRequestSchema, typeof RecheckResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.recheck,
    roles: rolesOfActionService.recheck,
    harmless: true,
    async handle(principal, request, signal) {
      const rechecked = await lifecycle.recheck(principal, actionIdFromWire(request.actionId), signal);
      return create(RecheckResponseSchema, {
        holds: rechecked.holds,
        beforeJson: rechecked.before ?? undefined,
        nowJson: rechecked.now,
        differences: rechecked.differences.map(({ pointer, beforeJson, nowJson }) => ({
          pointer,
          beforeJson: beforeJson ?? undefined,
          nowJson: nowJson ?? undefined,
        })),
        action: actionToWire(rechecked.action, null),
      });
    },
  };
}
