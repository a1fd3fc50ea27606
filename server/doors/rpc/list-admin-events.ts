import { create, toBinary } from '@bufbuild/protobuf';
import { AdminEventSchema } from '@tether/proto/tether/v1/admin_event_pb.ts';
import type { ListAdminEventsRequestSchema } from '@tether/proto/tether/v1/audit_service_pb.ts';
import { AuditService, ListAdminEventsResponseSchema } from '@tether/proto/tether/v1/audit_service_pb.ts';
import type { AuditVerbs } from '../../lifecycle/audit/audit-verbs.ts';
import { cursorOf } from '../../lifecycle/event-cursor.ts';
import { adminEventToWire, adminEventTypesFromWire } from '../proto/admin-event.ts';
import { fitting, pageBytes } from '../proto/page.ts';
import { rolesOfAuditService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listAdminEventsRpc(
  verbs: AuditVerbs,
): UnaryRpc<typeof ListAdminEventsRequestSchema, typeof ListAdminEventsResponseSchema> {
  return {
    kind: 'unary',
    method: AuditService.method.listAdminEvents,
    roles: rolesOfAuditService.listAdminEvents,
    async handle(principal, { types, subject, pageSize, cursor }) {
      const listed = await verbs.listAdminEvents(principal, {
        types: adminEventTypesFromWire(types),
        subject: subject === '' ? null : subject,
        pageSize,
        cursor,
      });
      const whole = listed.events.map(adminEventToWire);
      const events = fitting(whole, (event) => toBinary(AdminEventSchema, event).byteLength, pageBytes);
      const last = listed.events[events.length - 1];
      const cut = events.length < whole.length && last !== undefined;
      return create(ListAdminEventsResponseSchema, {
        events: [...events],
        nextCursor: cut ? cursorOf(last.position) : listed.nextCursor,
        hasMore: cut || listed.more,
      });
    },
  };
}
