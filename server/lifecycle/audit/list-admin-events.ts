import type { Principal } from '../../domain/principal.ts';
import { cursorOf, positionOf } from '../event-cursor.ts';
import { wholeTenantOperator } from '../operator.ts';
import type { AdminEvent, AdminEventLog, AdminEventType } from '../ports/admin-events.ts';

const usualPage = 100;

export interface ListAdminEventsInput {
  /** Null for all. */
  readonly types: readonly AdminEventType[] | null;
  /** Null for all. */
  readonly subject: string | null;
  /** 0: the usual. */
  readonly pageSize: number;
  /** Empty: from the first event. */
  readonly cursor: string;
}

export interface AdminEventsListed {
  readonly events: readonly AdminEvent[];
  /** Where to go on, also when no more are there yet; empty when there were none. */
  readonly nextCursor: string;
  readonly more: boolean;
}

/** What operators did in the caller's tenant, oldest first; only for operators who are good for all of it. */
export async function listAdminEvents(
  log: AdminEventLog,
  principal: Principal,
  { types, subject, pageSize, cursor }: ListAdminEventsInput,
): Promise<AdminEventsListed> {
  wholeTenantOperator(principal, 'The trail of what operators did is read');
  const limit = pageSize || usualPage;
  const after = cursor === '' ? null : positionOf(cursor);
  const read = await log.read({ tenantId: principal.tenantId, types, subject, after, limit: limit + 1 });
  const events = read.slice(0, limit);
  const last = events.at(-1);
  return { events, nextCursor: last === undefined ? cursor : cursorOf(last.position), more: read.length > limit };
}
