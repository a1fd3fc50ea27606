import type { Actor, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { differencesText } from '../domain/observation.ts';
import type { Tool } from '../domain/tool.ts';
import { transition } from '../domain/transition.ts';
import { preconditionChanged } from './confirmed.ts';
import { followUp } from './follow-up.ts';
import type { Confirmed } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';
import { recheckPrecondition } from './precondition.ts';
import type { ReadCheckPorts } from './read-check.ts';
import { inFlight, standing } from './standing.ts';

/** Settles PRECONDITION_FAILED when the world changed while it waited; in doubt, the change may be our own (rule 4). */
export async function settleIfChanged(
  ports: ReadCheckPorts & { readonly store: ActionStore },
  observed: Observed,
  tool: Tool,
  approver: Actor,
  signal: AbortSignal,
): Promise<Confirmed | undefined> {
  const { action } = observed;
  const rechecked = await recheckPrecondition(ports, tool, action, signal);
  if (rechecked === undefined || rechecked.holds) return undefined;
  const note =
    rechecked.differences.length > 0
      ? `Since it was staged: ${differencesText(rechecked.differences)}.`
      : `${tool.precondition?.expect?.text ?? ''} does not hold.`;
  const moved = transition(action, { type: 'differs' });
  if (moved.kind !== 'moved') throw worldChanged(observed, note);
  const { state, effect } = moved;
  const change = { action, state, effect, event: 'PRECONDITION_CHANGED', actor: approver, note, attempts: [] } as const;
  const written = await ports.store.apply({ ...change, ...followUp(ports.catalog, action, moved) });
  if (written !== undefined) return preconditionChanged(written);
  // Somebody else was faster: what the action has become answers this confirm.
  const now = (await ports.store.find(action.tenantId, action.id)) ?? observed;
  const known = standing(now, false);
  if (known === undefined) throw inFlight(now);
  return known;
}

/** INDETERMINATE stays so: the change may be what an attempt of ours did. */
function worldChanged({ action }: Observed, note: string): CallError {
  return new CallError('OUTCOME_INDETERMINATE', {
    message: `The world changed, and an attempt of ours may be why. ${note} This confirm ran nothing.`,
    alternatives: [
      {
        action: 'resolve',
        argumentsJson: JSON.stringify({ action_id: action.id, expected_attempts: action.attempts.length }),
        description: 'Check the business system, and say whether it landed.',
      },
      {
        action: 'probe_now',
        argumentsJson: JSON.stringify({ action_id: action.id }),
        description: 'Ask the endpoint.',
      },
    ],
  });
}
