import type { ActionId } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { cursorOf, positionOf } from './event-cursor.ts';
import { find } from './find.ts';
import type { EventsListed } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';
import type { EventLog } from './ports/events.ts';

const usualPage = 100;

export interface ListEventsPorts {
  readonly store: ActionStore;
  readonly events: EventLog;
}

/** The audit trail, oldest first: of one action for whoever may see it, of the tenant for operators (DESIGN §3). */
export async function listEvents(
  { store, events }: ListEventsPorts,
  principal: Principal,
  {
    actionId,
    pageSize,
    cursor,
  }: { readonly actionId: ActionId | null; readonly pageSize: number; readonly cursor: string },
): Promise<EventsListed> {
  if (actionId !== null) await find(store, principal, { by: 'action-id', actionId });
  else if (principal.role !== 'operator' || principal.scopes !== null) throw operatorsOnly(principal);
  const limit = pageSize || usualPage;
  const after = cursor === '' ? null : positionOf(cursor);
  const read = await events.read({
    tenantId: principal.tenantId,
    actionId: actionId ?? undefined,
    after,
    limit: limit + 1,
  });
  const page = read.slice(0, limit);
  const last = page.at(-1);
  return { events: page, nextCursor: last === undefined ? cursor : cursorOf(last.position), more: read.length > limit };
}

function operatorsOnly({ role }: Principal): CallError {
  return new CallError('PERMISSION_DENIED', {
    message:
      "The trail of a whole tenant is for operators whose credential is good for all scopes; name an action to read that action's.",
    field: 'action_id',
    receivedJson: JSON.stringify(role),
  });
}
