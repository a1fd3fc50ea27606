import type { ActionId } from '../domain/action.ts';
import { isPastExpiry } from '../domain/action.ts';
import type { Principal } from '../domain/principal.ts';
import { find, notFound } from './find.ts';
import { findWriteOf } from './find-tool.ts';
import { invalidRequest } from './invalid-request.ts';
import type { RecheckShown } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';
import { recheckPrecondition } from './precondition.ts';
import type { ReadCheckPorts } from './read-check.ts';
import { inFlight, settled } from './standing.ts';

/** The precondition as it is now beside what it was, for whoever is about to decide; changes nothing (DESIGN §3). */
export async function recheck(
  ports: ReadCheckPorts & { readonly store: ActionStore },
  principal: Principal,
  actionId: ActionId,
  signal: AbortSignal,
): Promise<RecheckShown> {
  const observed = await find(ports.store, principal, { by: 'action-id', actionId });
  const { action } = observed;
  if (action.state === 'EXPIRED' || (action.state === 'PENDING' && isPastExpiry(observed))) throw notFound(actionId);
  if (action.state === 'EXECUTING') throw inFlight(observed);
  if (action.state !== 'PENDING' && action.state !== 'INDETERMINATE') throw settled(observed, 'rechecked');
  const rechecked = await recheckPrecondition(ports, findWriteOf(ports.catalog, action), action, signal);
  if (rechecked !== undefined) return { ...rechecked, action };
  throw invalidRequest({
    message: `${action.tool} declares no precondition, so there is nothing to look at again.`,
    field: 'action_id',
    receivedJson: JSON.stringify(action.id),
  });
}
