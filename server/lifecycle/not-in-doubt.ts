import type { Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { getMove } from '../domain/outcome.ts';

/** There is nothing to settle: what became of every attempt is known. */
export function notInDoubt({ action }: Observed): CallError {
  return new CallError('NOT_IN_DOUBT', {
    message: `Nothing about this action is in doubt: it is ${action.state}, with effect ${action.effect}.`,
    field: 'action_id',
    receivedJson: JSON.stringify(action.state),
    alternatives: [getMove(action, 'Read what is known.')],
  });
}
