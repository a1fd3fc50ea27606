import type { Observed } from '../domain/action.ts';
import { isPastExpiry } from '../domain/action.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { transition } from '../domain/transition.ts';
import { find, notFound } from './find.ts';
import type { Decided, RejectInput } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';
import { inFlight, settled } from './standing.ts';

/** A person says no, with a reason that the model gets (DESIGN §2.3). Terminal; nothing runs. The same no again is replayed. */
export async function reject(store: ActionStore, principal: Principal, input: RejectInput): Promise<Decided> {
  const lookup = { by: 'action-id', actionId: input.actionId } as const;
  const decided = await decide(store, principal, input, await find(store, principal, lookup));
  if (decided !== undefined) return decided;
  // Somebody was faster: once more, on what it has become.
  const now = await find(store, principal, lookup);
  const again = await decide(store, principal, input, now);
  if (again === undefined) throw inFlight(now);
  return again;
}

/** Undefined when somebody moved the action between the read and the write. */
async function decide(
  store: ActionStore,
  principal: Principal,
  { actionId, reason }: RejectInput,
  observed: Observed,
): Promise<Decided | undefined> {
  const { action } = observed;
  const by = { credentialId: principal.credentialId, userId: principal.userId };
  if (action.state === 'REJECTED' && action.rejection?.reason === reason && action.rejection.by.userId === by.userId) {
    return answer(observed, true);
  }
  if (action.state === 'EXPIRED' || (action.state === 'PENDING' && isPastExpiry(observed))) throw notFound(actionId);
  const moved = transition(action, { type: 'reject' });
  if (moved.kind !== 'moved') throw action.state === 'EXECUTING' ? inFlight(observed) : settled(observed, 'rejected');
  const { state, effect } = moved;
  const written = await store.apply({
    action,
    state,
    effect,
    event: 'REJECTED',
    actor: by,
    note: reason,
    attempts: [],
    rejection: { reason, by },
  });
  return written && answer(written, false);
}

function answer(observed: Observed, idempotentReplay: boolean): Decided {
  return {
    action: observed.action,
    error: errorOf(observed),
    modelJson: modelText(observed, { idempotentReplay }),
    idempotentReplay,
  };
}
