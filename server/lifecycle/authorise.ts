import type { Actor, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { getMove } from '../domain/outcome.ts';
import type { Authorizer } from './ports/authorizer.ts';

/** Asks the authorizer, if one is configured: "no" refuses this confirm, and so does no answer (DESIGN §2.2 step 6). */
export async function assertAuthorised(
  authorizer: Authorizer,
  observed: Observed,
  approver: Actor,
  signal: AbortSignal,
): Promise<void> {
  const { action } = observed;
  const authorization = await authorizer.authorize(observed, approver, signal);
  signal.throwIfAborted();
  switch (authorization.kind) {
    case 'allowed':
      return;
    case 'denied': {
      const {
        message = 'It gave no reason.',
        field,
        receivedJson,
        limitJson,
        acceptedJson,
        alternatives = [],
      } = authorization.reason ?? {};
      throw new CallError('AUTHORIZER_DENIED', {
        message: `The authorizer said no: ${message} Nothing ran; the action stays as it is.`,
        ...{ field, receivedJson, limitJson, acceptedJson },
        alternatives: [...alternatives, getMove(action, 'Read the action; somebody who may can confirm it.')],
      });
    }
    case 'unavailable':
      throw new CallError('AUTHORIZER_UNAVAILABLE', {
        message:
          'The authorizer gave no answer, and without one nothing is confirmed. Nothing ran; the action stays as it is.',
        retryAfterSeconds: 5,
        alternatives: [getMove(action, 'Read the action; confirm it again later.')],
      });
  }
}
