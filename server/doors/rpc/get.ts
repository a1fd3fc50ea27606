import { create } from '@bufbuild/protobuf';
import type { GetRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, GetResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { onceFor } from '../../domain/once-for.ts';
import type { Lifecycle, Shown } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { lookupFromWire } from '../proto/lookup.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function getRpc(lifecycle: Lifecycle): UnaryRpc<typeof GetRequestSchema, typeof GetResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.get,
    roles: rolesOfActionService.get,
    sharesAnswers: true,
    handle: async (principal, request) => answerOf(await lifecycle.get(principal, lookupFromWire(request))),
  };
}

const answerOf = onceFor(({ action, error, modelJson }: Shown) =>
  create(GetResponseSchema, { action: actionToWire(action, error), modelJson }),
);
