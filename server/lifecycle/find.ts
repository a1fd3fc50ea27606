import type { ActionId, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { maySeeScope } from '../domain/principal.ts';
import type { Lookup } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';

/** The same answer for an id that never was, another tenant's, another scope's and another agent's. */
export function notFound(lookup: Lookup | ActionId): CallError {
  const [field, received] =
    typeof lookup === 'string'
      ? ['action_id', lookup]
      : lookup.by === 'action-id'
        ? ['action_id', lookup.actionId]
        : lookup.by === 'idempotency-key'
          ? ['idempotency_key', lookup.key]
          : ['request_id', lookup.requestId];
  return new CallError('ACTION_NOT_FOUND', {
    message: `There is no action under this ${field} that can be acted on with this credential; it may have expired.`,
    field,
    receivedJson: JSON.stringify(received),
    alternatives: [
      { action: 'get', description: 'Read the action by an id or key of your own to learn its state.' },
      { action: 'stage', description: 'Propose the write again.' },
    ],
  });
}

/** The action that is meant, if this principal may see it; throws ACTION_NOT_FOUND. */
export async function find(store: ActionStore, principal: Principal, lookup: Lookup): Promise<Observed> {
  const observed = await look(store, principal, lookup);
  // A request id is the credential's own: what it stands for may be told, also when another credential proposed the same first.
  const own = lookup.by === 'request-id' && observed !== undefined && maySeeScope(principal, observed.action.scope);
  if (observed === undefined || !(own || maySee(principal, observed))) throw notFound(lookup);
  return observed;
}

function look(
  store: ActionStore,
  { tenantId, userId, credentialId }: Principal,
  lookup: Lookup,
): Promise<Observed | undefined> {
  switch (lookup.by) {
    case 'action-id':
      return store.find(tenantId, lookup.actionId);
    case 'idempotency-key':
      return store.findByIdempotencyKey(tenantId, userId, lookup.key);
    case 'request-id':
      return store.findByRequestId(tenantId, credentialId, lookup.requestId);
  }
}

/** An agent sees what its own credential proposed, everybody else what is in their scopes (DESIGN §3). */
export function maySee(principal: Principal, { action }: Observed): boolean {
  if (action.tenantId !== principal.tenantId || !maySeeScope(principal, action.scope)) return false;
  return principal.role !== 'agent' || action.proposedBy.credentialId === principal.credentialId;
}
