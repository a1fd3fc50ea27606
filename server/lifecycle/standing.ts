import type { Action, Observed } from '../domain/action.ts';
import { attemptsAllowed, isPastExpiry, newestAttempt } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { errorOf, getMove, stageAgainMove } from '../domain/outcome.ts';
import { replayed } from './confirmed.ts';
import { notFound } from './find.ts';
import type { Confirmed } from './lifecycle.ts';

/**
 * What a confirm is answered by the state alone (DESIGN §2.2 step 4): a stored result, or an error to throw. Undefined means
 * that it may go on.
 */
export function standing(observed: Observed, acknowledgeIndeterminate: boolean): Confirmed | undefined {
  const { action } = observed;
  switch (action.state) {
    case 'PENDING':
      if (isPastExpiry(observed)) throw notFound(action.id);
      return undefined;
    case 'EXPIRED':
      throw notFound(action.id);
    case 'EXECUTING':
      throw inFlight(observed);
    case 'SUCCEEDED':
      return replayed(observed);
    case 'INDETERMINATE':
      if (acknowledgeIndeterminate && action.attempts.length < attemptsAllowed && !isPastExpiry(observed))
        return undefined;
      throw outcomeIndeterminate(observed);
    case 'REFUSED':
    case 'FAILED':
    case 'PRECONDITION_FAILED':
    case 'REJECTED':
    case 'SUPERSEDED':
      throw settled(observed, 'confirmed');
  }
}

/** Another confirm has it, or somebody moved it a moment ago; tells how long to wait. */
export function inFlight({ action, at }: Observed): CallError {
  const newest = action.state === 'EXECUTING' ? newestAttempt(action) : undefined;
  if (newest === undefined) {
    return new CallError('CONFIRM_IN_FLIGHT', {
      message: `Somebody else moved this action at the same moment; it is ${action.state} now. This call changed nothing.`,
      retryAfterSeconds: 1,
      alternatives: [getMove(action, 'Read what it has become, and decide again.')],
    });
  }
  // Until its deadline the answer may come; from then on its lease says when nobody waits for it any more.
  const known = newest.deadlineAt > at ? newest.deadlineAt : newest.leaseUntil;
  const seconds = Math.max(1, Math.ceil((known.getTime() - at.getTime()) / 1000));
  return new CallError('CONFIRM_IN_FLIGHT', {
    message: `Another confirm of this action is under way; read what came of it in about ${seconds} s. This one ran nothing.`,
    retryAfterSeconds: seconds,
    alternatives: [getMove(action, 'Read what came of the other confirm.')],
  });
}

function outcomeIndeterminate(observed: Observed): CallError {
  const { action } = observed;
  const error = errorOf(observed);
  const left = action.attempts.length < attemptsAllowed && !isPastExpiry(observed);
  return new CallError('OUTCOME_INDETERMINATE', {
    message: `${error?.message ?? ''} This confirm ran nothing.`.trim(),
    field: 'acknowledge_indeterminate',
    ...(left ? { receivedJson: 'false', acceptedJson: ['true'] } : {}),
    alternatives: [
      getMove(action, 'Read what is known, and check the business system.'),
      ...(left
        ? [
            {
              action: 'confirm',
              argumentsJson: JSON.stringify({
                action_id: action.id,
                acknowledge_indeterminate: true,
                expected_attempts: action.attempts.length,
              }),
              description: 'Once a person has checked: make another attempt.',
            },
          ]
        : []),
    ],
  });
}

/** It has ended, and cannot be confirmed, rejected, amended … any more; says why and where to go. */
export function settled(observed: Observed, done: string): CallError {
  const { action } = observed;
  const reason = errorOf(observed)?.message ?? '';
  return new CallError('ACTION_SETTLED', {
    message:
      `The action is settled as ${action.state}, with effect ${action.effect}; it cannot be ${done}. ${reason}`.trim(),
    field: 'action_id',
    receivedJson: JSON.stringify(action.state),
    alternatives: moves(action),
  });
}

function moves(action: Action) {
  if (action.supersededBy !== null) {
    return [getMove({ id: action.supersededBy }, 'Go on with the action that stands in its place.')];
  }
  const read = getMove(action, 'Read the action and why it ended.');
  return action.effect === 'NONE'
    ? [read, stageAgainMove(action, 'Propose it again, with other arguments if it was refused.')]
    : [read];
}
