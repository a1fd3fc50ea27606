import { create, toBinary } from '@bufbuild/protobuf';
import { ActionEventSchema } from '@tether/proto/tether/v1/action_event_pb.ts';
import type { ListEventsRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ListEventsResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { cursorOf } from '../../lifecycle/event-cursor.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionIdFromWire } from '../proto/action-id.ts';
import { eventToWire } from '../proto/event.ts';
import { fitting, pageBytes } from '../proto/page.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listEventsRpc(
  lifecycle: Lifecycle,
): UnaryRpc<typeof ListEventsRequestSchema, typeof ListEventsResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.listEvents,
    roles: rolesOfActionService.listEvents,
    async handle(principal, request) {
      const { pageSize, cursor } = request;
      const actionId = request.actionId === '' ? null : actionIdFromWire(request.actionId);
      const listed = await lifecycle.listEvents(principal, { actionId, pageSize, cursor });
      const whole = listed.events.map(eventToWire);
      const events = fitting(whole, (event) => toBinary(ActionEventSchema, event).byteLength, pageBytes);
      const last = listed.events[events.length - 1];
      const cut = events.length < whole.length && last !== undefined;
      return create(ListEventsResponseSchema, {
        events: [...events],
        nextCursor: cut ? cursorOf(last.position) : listed.nextCursor,
        hasMore: cut || listed.more,
      });
    },
  };
}
