import type { Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { getMove } from '../domain/outcome.ts';
import { recorded } from './confirmed.ts';
import type { Confirmed } from './lifecycle.ts';
import { inFlight } from './standing.ts';

/**
 * A confirm that says how many attempts had been used when it was decided, and finds more, is the repeat of an answered one: it
 * gets that attempt's recorded outcome, whatever the state is by now, and nothing runs (DESIGN §2.2 step 3). So a machine can
 * repeat a confirm whose answer was lost. Undefined: it is no repeat.
 */
export function repeated(observed: Observed, expectedAttempts: number | undefined): Confirmed | undefined {
  const { action } = observed;
  const used = action.attempts.length;
  if (expectedAttempts === undefined || expectedAttempts === used) return undefined;
  const attempt = action.attempts[expectedAttempts];
  if (attempt === undefined) {
    throw new CallError('INVALID_REQUEST', {
      message: `expected_attempts says ${expectedAttempts}, and the action has used ${used}.`,
      field: 'expected_attempts',
      receivedJson: String(expectedAttempts),
      limitJson: String(used),
      alternatives: [getMove(action, 'Read how many attempts are used.')],
    });
  }
  if (attempt.outcome === 'OPEN') throw inFlight(observed);
  return recorded(observed, attempt);
}
