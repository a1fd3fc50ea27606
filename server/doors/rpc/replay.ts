import { create } from '@bufbuild/protobuf';
import type { ReplayRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ReplayResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { lookupFromWire } from '../proto/lookup.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function replayRpc(lifecycle: Lifecycle): UnaryRpc<typeof ReplayRequestSchema, typeof ReplayResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.replay,
    roles: rolesOfActionService.replay,
    async handle(principal, request) {
      const { action, error, result, modelJson } = await lifecycle.replay(principal, lookupFromWire(request));
      return create(ReplayResponseSchema, {
        action: actionToWire(action, error),
        resultJson: result ?? undefined,
        modelJson,
        idempotentReplay: result !== null,
      });
    },
  };
}
