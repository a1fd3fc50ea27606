import { create } from '@bufbuild/protobuf';
import type { GetRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, GetResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { lookupFromWire } from '../proto/lookup.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function getRpc(lifecycle: Lifecycle): UnaryRpc<typeof GetRequestSchema, typeof GetResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.get,
    roles: rolesOfActionService.get,
    async handle(principal, request) {
      const { action, error, modelJson } = await lifecycle.get(principal, lookupFromWire(request));
      return create(GetResponseSchema, { action: actionToWire(action, error), modelJson });
    },
  };
}
