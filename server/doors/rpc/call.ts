import { create, toBinary } from '@bufbuild/protobuf';
import { ActionSchema } from '@tether/proto/tether/v1/action_pb.ts';
import type { CallRequestSchema, CallResponse } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { CallResponseSchema, ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import type { Called, Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { millisecondsFromWire } from '../proto/duration.ts';
import { getByRequestId } from '../proto/find-out.ts';
import { fitting } from '../proto/page.ts';
import { rolesOfToolService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

/** They stand beside an answer, and must not make it too large for stock clients. */
const pendingBytes = 1_048_576;

export function callRpc(lifecycle: Lifecycle): UnaryRpc<typeof CallRequestSchema, typeof CallResponseSchema> {
  return {
    kind: 'unary',
    method: ToolService.method.call,
    roles: rolesOfToolService.call,
    async handle(principal, request, signal) {
      const { tool, argumentsJson, userId, scope, planId, requestId } = request;
      const ttlMs = millisecondsFromWire(request.ttl, 'ttl');
      const input = { tool, argumentsJson, userId, scope, planId, requestId, ttlMs };
      const called = await lifecycle.call(principal, input, signal);
      const pending = called.pending.map(({ action, error }) => actionToWire(action, error));
      return create(CallResponseSchema, {
        modelJson: called.modelJson,
        outcome: outcomeOf(called),
        pendingActions: [...fitting(pending, (action) => toBinary(ActionSchema, action).byteLength, pendingBytes)],
        idempotentReplay: called.idempotentReplay,
      });
    },
    waysToFindOut({ requestId, tool }) {
      const again = {
        action: 'call',
        tool,
        description: 'Call it again: an identical proposal of a write returns the same action.',
      };
      return requestId === '' ? [again] : [getByRequestId(requestId), again];
    },
  };
}

function outcomeOf({ action, error, result }: Called): CallResponse['outcome'] {
  if (action !== null) return { case: 'action', value: actionToWire(action, error) };
  return result === null ? { case: undefined } : { case: 'resultJson', value: result };
}
