import type { Action } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { differencesOf } from '../domain/observation.ts';
import { getMove } from '../domain/outcome.ts';
import type { NewAction } from './ports/action-store.ts';

/** A request id stands for one proposal as long as its action is kept; throws IDEMPOTENCY_KEY_REUSED. */
export function assertSameProposal(action: Action, proposal: NewAction): void {
  const differs = (['tool', 'arguments', 'userId', 'scope'] as const).filter(
    (field) => action[field] !== proposal[field],
  );
  if (differs.length === 0) return;
  throw new CallError('IDEMPOTENCY_KEY_REUSED', {
    message: `This request_id was used for another proposal: ${differs.map(fieldName).join(', ')} differ. Nothing was recorded.`,
    field: 'request_id',
    receivedJson: JSON.stringify(proposal.requestId),
    alternatives: [
      {
        action: 'stage',
        tool: proposal.tool,
        argumentsJson: proposal.arguments,
        description: 'Use a new request_id for a new proposal.',
      },
    ],
  });
}

function fieldName(field: 'tool' | 'arguments' | 'userId' | 'scope'): string {
  return field === 'userId' ? 'user_id' : field;
}

/**
 * The same declared intent with other arguments is not the same proposal, and may not stand beside it; throws INTENT_HELD,
 * naming the action and the fields that differ (DESIGN §2.1 step 3).
 */
export function assertSameWish(holder: Action, proposal: NewAction): void {
  if (holder.arguments === proposal.arguments) return;
  const fields = differencesOf(holder.arguments, proposal.arguments, null).map(({ pointer }) => pointer);
  throw new CallError('INTENT_HELD', {
    message: `Action ${holder.id} (${holder.state}) is the same wish with other arguments: ${fields.join(', ')} differ. Nothing was recorded.`,
    field: fields[0],
    receivedJson: JSON.stringify(fields),
    alternatives: [
      // An agent may read only what its own credential proposed: another's is no move.
      ...(holder.proposedBy.credentialId === proposal.requestedBy.credentialId || proposal.amendedBy !== null
        ? [getMove(holder, 'Read the action that holds the wish.')]
        : []),
      ...(holder.state === 'PENDING'
        ? [
            {
              action: 'amend',
              tool: holder.tool,
              argumentsJson: JSON.stringify({ action_id: holder.id }),
              description: 'A person can amend it to other arguments.',
            },
          ]
        : []),
    ],
  });
}
