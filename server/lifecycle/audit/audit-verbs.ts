import type { Principal } from '../../domain/principal.ts';
import type { AdminEventLog } from '../ports/admin-events.ts';
import { type AdminEventsListed, type ListAdminEventsInput, listAdminEvents } from './list-admin-events.ts';

/** What operators can read of what operators did. Throws CallError. */
export interface AuditVerbs {
  listAdminEvents(principal: Principal, input: ListAdminEventsInput): Promise<AdminEventsListed>;
}

export function createAuditVerbs(log: AdminEventLog): AuditVerbs {
  return { listAdminEvents: (principal, input) => listAdminEvents(log, principal, input) };
}
