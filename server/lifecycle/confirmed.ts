import type { Attempt, Observed } from '../domain/action.ts';
import { attemptsAllowed, resultOf } from '../domain/action.ts';
import type { ActionableError } from '../domain/error.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Confirmed, ConfirmStatus } from './lifecycle.ts';

/** What a confirm that ran is told, once its attempt is settled. */
export function confirmed(observed: Observed, number: number): Confirmed {
  const { action } = observed;
  if (action.state === 'SUCCEEDED' && action.resultAttempt !== number) return replayed(observed);
  return tell(observed, statusOf(observed, number), errorOf(observed), false);
}

/** The stored result of the first successful execution: the ordinary body, and that it is a replay. */
export function replayed(observed: Observed): Confirmed {
  return tell(observed, 'REPLAYED', null, true);
}

/** The world changed while it waited: it was settled so, and not executed. */
export function preconditionChanged(observed: Observed): Confirmed {
  const status = observed.action.state === 'INDETERMINATE' ? 'INDETERMINATE' : 'PRECONDITION_FAILED';
  return tell(observed, status, errorOf(observed), false);
}

/** The recorded outcome of one attempt, to whoever asks for it again; nothing runs. */
export function recorded(observed: Observed, attempt: Attempt): Confirmed {
  const status = attemptStatus(attempt);
  const newest = attempt.number === observed.action.attempts.length;
  return tell(observed, status, newest ? (errorOf(observed) ?? attempt.error) : attempt.error, true);
}

function tell(
  observed: Observed,
  status: ConfirmStatus,
  error: ActionableError | null,
  idempotentReplay: boolean,
): Confirmed {
  const { action } = observed;
  const success = status === 'EXECUTED' || status === 'REPLAYED';
  return {
    status,
    action,
    result: success ? resultOf(action) : null,
    error: success ? null : error,
    modelJson: modelText(observed, { idempotentReplay }),
    idempotentReplay,
  };
}

function statusOf({ action }: Observed, number: number): ConfirmStatus {
  switch (action.state) {
    case 'SUCCEEDED':
      return 'EXECUTED';
    case 'REFUSED':
    case 'FAILED':
    case 'INDETERMINATE':
    case 'PRECONDITION_FAILED':
      return action.state;
    case 'PENDING':
      return 'FAILED_RETRYABLE';
    case 'EXECUTING':
    case 'REJECTED':
    case 'SUPERSEDED':
    case 'EXPIRED': {
      // Settled late, when the action had gone on without it: then its own record is its outcome.
      const attempt = action.attempts.find((each) => each.number === number);
      return attempt === undefined ? 'INDETERMINATE' : attemptStatus(attempt);
    }
  }
}

function attemptStatus(attempt: Attempt): ConfirmStatus {
  if (attempt.outcome === 'REFUSED') return 'REFUSED'; // also when the endpoint says that it has an effect
  if (attempt.effect === 'APPLIED') return 'REPLAYED';
  switch (attempt.outcome) {
    case 'SUCCEEDED':
      return 'REPLAYED';
    case 'FAILED':
      return attempt.number < attemptsAllowed ? 'FAILED_RETRYABLE' : 'FAILED';
    case 'NO_ANSWER':
    case 'OPEN':
      return 'INDETERMINATE';
  }
}
