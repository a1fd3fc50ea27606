import type { Action, Observed } from '../../domain/action.ts';
import type { NewAction } from '../../lifecycle/ports/action-store.ts';
import type { Database, Statement } from '../database.ts';
import { findByRequestId } from './find.ts';

const rememberRequest: Statement = {
  name: 'stage_request_insert',
  writes: true,
  text: `insert into stage_request (request_id, credential_id, tenant_id, action_id) values ($1, $2, $3, $4)
    on conflict do nothing
    returning action_id`,
};

/** The action that the proposal's request id was used for, if any. */
export async function requested(database: Database, action: NewAction): Promise<Observed | undefined> {
  if (action.requestId === null) return undefined;
  return findByRequestId(database, action.tenantId, action.requestedBy.credentialId, action.requestId);
}

/**
 * Gives the caller's request id to the action that it is told of, when that is the same proposal: one that is not is refused, and
 * its request id stays free. False when the id has just gone to another.
 */
export async function remember(database: Database, action: NewAction, holder: Action): Promise<boolean> {
  if (action.requestId === null || !isSameProposal(holder, action)) return true;
  const values = [action.requestId, action.requestedBy.credentialId, action.tenantId, holder.id];
  return (await database.run(rememberRequest, values)).length > 0;
}

/** With declared fields an intent may be held by an action with other arguments. */
function isSameProposal(holder: Action, { tool, arguments: args, userId, scope }: NewAction): boolean {
  return holder.tool === tool && holder.arguments === args && holder.userId === userId && holder.scope === scope;
}
