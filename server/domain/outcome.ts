import type { Action, Attempt, Observed } from './action.ts';
import { attemptsAllowed, inDoubt, isPastExpiry, newestAttempt } from './action.ts';
import type { ActionableError, Alternative } from './error.ts';

/** The read that closes the gap, as a move. */
export function getMove(action: Pick<Action, 'id'>, description: string): Alternative {
  return { action: 'get', argumentsJson: JSON.stringify({ action_id: action.id }), description };
}

/** Proposing the same again, with the arguments ready. */
export function stageAgainMove(action: Action, description = 'Propose it again; it gets a new id.'): Alternative {
  return { action: 'stage', tool: action.tool, argumentsJson: action.arguments, description };
}

/**
 * Why an action is not SUCCEEDED, where there is more to say than its state: the newest error of its attempts, told with how
 * many attempts are used and whether it can still be confirmed. Null when there is nothing to say.
 */
export function errorOf(observed: Observed): ActionableError | null {
  const { action } = observed;
  switch (action.state) {
    case 'SUCCEEDED':
    case 'EXECUTING':
      return null;
    case 'EXPIRED':
      return expired(action);
    case 'REJECTED':
      return rejected(action);
    case 'SUPERSEDED':
      return superseded(action);
    case 'PRECONDITION_FAILED':
      return preconditionFailed(action);
    case 'PENDING':
      return action.attempts.length === 0 && isPastExpiry(observed) ? expired(action) : released(observed);
    case 'INDETERMINATE':
      return indeterminate(observed);
    case 'FAILED':
      return failed(action);
    case 'REFUSED':
      return {
        ...(attemptError(action, 'REFUSED') ?? unexplained('REFUSED')),
        effect: action.effect,
        retryable: false,
      };
  }
}

/** The newest error among attempts, of those that ended so if there is one. */
function attemptError(action: Action, outcome?: string): ActionableError | null {
  const newestFirst = [...action.attempts].reverse();
  return (
    (newestFirst.find((each) => each.error && each.outcome === outcome) ?? newestFirst.find((each) => each.error))
      ?.error ?? null
  );
}

function unexplained(code: string): ActionableError {
  return { code, message: 'The endpoint gave no reason.', effect: 'NONE', retryable: false };
}

const doubtMessage =
  'An earlier attempt may have taken effect: check the business system before it is confirmed again.';

function used(action: Action): string {
  return `${action.attempts.length}/${attemptsAllowed} attempts used`;
}

function released(observed: Observed): ActionableError | null {
  const { action } = observed;
  const newest = newestAttempt(action);
  if (newest === undefined) return null;
  const error = releasedError(newest);
  const over = isPastExpiry(observed);
  const next = over
    ? `It is past its expiry and can no longer be confirmed (${used(action)}).`
    : `The action remains confirmable (${used(action)}).`;
  return {
    ...error,
    message: [error.message, next, inDoubt(action) ? doubtMessage : ''].filter(Boolean).join(' '),
    effect: action.effect,
    retryable: error.retryable && !over,
    alternatives: [
      ...(error.alternatives ?? []),
      getMove(action, 'Read what is known now.'),
      ...(over && action.effect === 'NONE' ? [stageAgainMove(action)] : []),
    ],
  };
}

/** An attempt that nobody answered and that is known by now not to have taken effect has failed, like any other. */
function releasedError({ error, outcome, effect }: Attempt): ActionableError {
  if (error === null) return unexplained('EXECUTION_FAILED_RETRYABLE');
  if (outcome !== 'NO_ANSWER' || effect !== 'NONE') return error;
  const message = `${error.message} It is known by now that it did not take effect.`;
  return { ...error, code: 'EXECUTION_FAILED_RETRYABLE', message, retryable: true };
}

function expired(action: Action): ActionableError {
  const attempted = action.attempts.length === 0 ? 'nothing ran' : used(action);
  const doubt = inDoubt(action) ? ` ${doubtMessage}` : '';
  const applied = action.effect === 'APPLIED' ? ' The write took effect all the same: do not propose it again.' : '';
  return {
    code: 'ACTION_EXPIRED',
    message: `Not confirmed before ${action.expiresAt.toISOString()}, so it can no longer be confirmed (${attempted}).${doubt}${applied}`,
    limitJson: JSON.stringify(action.expiresAt.toISOString()),
    effect: action.effect,
    retryable: false,
    alternatives: action.effect === 'NONE' ? [stageAgainMove(action)] : [getMove(action, 'Read what is known now.')],
  };
}

function indeterminate(observed: Observed): ActionableError {
  const { action } = observed;
  const left = action.attempts.length < attemptsAllowed && !isPastExpiry(observed);
  const next = left
    ? 'a person who has checked may confirm it again with acknowledge_indeterminate'
    : isPastExpiry(observed)
      ? 'it is past its expiry and can no longer be confirmed'
      : 'no attempt is left';
  const unanswered = action.attempts.findLast((each) => each.outcome === 'NO_ANSWER')?.error;
  return {
    code: 'OUTCOME_INDETERMINATE',
    message: `${unanswered?.message ?? 'No answer decided what came of it.'} It may or may not have taken effect (${used(action)}); ${next}.`,
    effect: 'UNKNOWN',
    retryable: false,
    alternatives: [getMove(action, 'Read what is known now; check the business system before anything else is tried.')],
  };
}

function failed(action: Action): ActionableError {
  const error = attemptError(action) ?? unexplained('EXECUTION_FAILED');
  const doubt = inDoubt(action) ? ` ${doubtMessage}` : '';
  return {
    ...error,
    code: 'EXECUTION_FAILED',
    message: `${error.message} No attempt is left (${used(action)}).${doubt}`,
    effect: action.effect,
    retryable: false,
    alternatives: [
      ...(error.alternatives ?? []),
      ...(action.effect === 'NONE' ? [stageAgainMove(action)] : [getMove(action, 'Read what is known now.')]),
    ],
  };
}

/** What is to be said beside a state in which nothing ran, or seemed to. */
function beside(action: Action): string {
  if (action.effect === 'APPLIED') return ' The write took effect all the same: do not propose it again.';
  return inDoubt(action) ? ` ${doubtMessage}` : '';
}

function rejected(action: Action): ActionableError {
  return {
    code: 'ACTION_REJECTED',
    message: `A person rejected it: ${action.rejection?.reason ?? ''}${beside(action)}`,
    effect: action.effect,
    retryable: false,
    alternatives: [
      {
        action: 'stage',
        tool: action.tool,
        description:
          'Propose something else that answers the reason; the same again is answered with this rejection until it would have expired.',
      },
    ],
  };
}

function superseded(action: Action): ActionableError {
  const replacement = action.supersededBy ?? '';
  return {
    code: 'ACTION_SUPERSEDED',
    message: `A person amended it; action ${replacement} stands in its place.${beside(action)}`,
    effect: action.effect,
    retryable: false,
    alternatives: [
      {
        action: 'get',
        argumentsJson: JSON.stringify({ action_id: replacement }),
        description: 'Read the action that stands in its place.',
      },
    ],
  };
}

function preconditionFailed(action: Action): ActionableError {
  return {
    code: 'PRECONDITION_FAILED',
    message: `The world changed while it waited, so it was not executed.${action.note ? ` ${action.note}` : ''}${beside(action)}`,
    effect: action.effect,
    retryable: false,
    alternatives:
      action.effect === 'NONE'
        ? [stageAgainMove(action, 'If it is still wanted: propose it again, on the world as it is now.')]
        : [getMove(action, 'Read what is known now.')],
  };
}
