import type { ActionId } from '../domain/action.ts';
import { parseActionId } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import type { Listed, ListInput } from './lifecycle.ts';
import type { ActionFilter, ActionStore, ListQuery } from './ports/action-store.ts';

const usualPage = 50;

/** Actions that the caller may see, newest first, in pages (DESIGN §2.3). */
export async function list(
  store: ActionStore,
  principal: Principal,
  { filter, pageSize, cursor }: ListInput,
): Promise<Listed> {
  const after = cursor === '' ? null : positionOf(cursor);
  const { items, more } = await store.list({ ...visibleTo(principal, filter), limit: pageSize || usualPage, after });
  const last = items.at(-1);
  return {
    items: items.map((observed) => ({ action: observed.action, error: errorOf(observed) })),
    nextCursor: more && last !== undefined ? last.action.id : '',
  };
}

/** An agent sees what its own credential proposed, everybody else what is in their scopes. */
export function visibleTo(
  principal: Principal,
  filter: ActionFilter,
): Pick<ListQuery, 'tenantId' | 'filter' | 'scopes' | 'proposedByCredential'> {
  const proposedByCredential = principal.role === 'agent' ? principal.credentialId : null;
  return { tenantId: principal.tenantId, filter, scopes: principal.scopes, proposedByCredential };
}

function positionOf(cursor: string): ActionId {
  const id = parseActionId(cursor);
  if (id !== undefined) return id;
  throw invalidCursor(cursor);
}

/** A cursor that no page of this call has handed out. */
export function invalidCursor(cursor: string): CallError {
  return new CallError('INVALID_CURSOR', {
    message: 'This cursor was not handed out by this call; leave it empty to begin anew.',
    field: 'cursor',
    receivedJson: JSON.stringify(cursor),
    acceptedJson: ['""'],
  });
}
