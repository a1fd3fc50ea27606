import type { ConfirmPlanRequestSchema, ConfirmPlanResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { confirmInputFromWire } from '../proto/confirm-input.ts';
import { getAction } from '../proto/find-out.ts';
import { planVerdictToWire } from '../proto/plan-verdict.ts';
import { rolesOfActionService } from '../roles.ts';
import type { StreamRpc } from './rpc.ts';

export function confirmPlanRpc(
  lifecycle: Lifecycle,
): StreamRpc<typeof ConfirmPlanRequestSchema, typeof ConfirmPlanResponseSchema> {
  return {
    kind: 'stream',
    method: ActionService.method.confirmPlan,
    roles: rolesOfActionService.confirmPlan,
    async *stream(principal, { entries }, signal) {
      const verdicts = lifecycle.confirmPlan(principal, entries.map(confirmInputFromWire), signal);
      for await (const verdict of verdicts) yield planVerdictToWire(verdict);
    },
    // The entry under way is the first without a verdict; those after it have not begun.
    waysToFindOut({ entries }, answered) {
      const underWay = entries[answered];
      return underWay === undefined ? [] : [getAction(underWay.actionId)];
    },
  };
}
