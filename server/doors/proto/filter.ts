import type { ActionFilter as WireFilter } from '@tether/proto/tether/v1/action_service_pb.ts';
import { states } from '../../domain/action.ts';
import type { ActionFilter } from '../../lifecycle/ports/action-store.ts';
import { stateToWire } from '../../wire/enums.ts';

/** Which actions a request means; what is unset or empty asks for nothing. States are defined ones by the contract's rules. */
export function filterFromWire(filter: WireFilter | undefined): ActionFilter {
  if (filter === undefined) return {};
  const { states: wanted, planId, scope, userId, tool, needsAttention } = filter;
  return {
    states: wanted.length === 0 ? undefined : states.filter((state) => wanted.includes(stateToWire[state])),
    planId: planId || undefined,
    scope,
    userId,
    tool: tool || undefined,
    needsAttention: needsAttention || undefined,
  };
}
