import { AdminEventType as WireType } from '@tether/proto/clients/tether/v1/admin_event_pb.ts';
import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import type { Page, PageInput } from '../../pages.ts';
import { type AdminEvent, adminEventFromWire } from '../../wire/admin-event.ts';
import type { AdminEventType, Meant } from '../../wire/enums.ts';

export interface ListAdminEventsInput extends PageInput {
  /** Only of these kinds; of all when it is empty or not there. */
  readonly types?: readonly Meant<AdminEventType>[];
  /** Only what was done to this, as events tell it. */
  readonly subject?: string;
}

export interface AdminEventPage extends Page {
  /** Oldest first. */
  readonly events: readonly AdminEvent[];
}

export async function listAdminEvents(
  connection: Connection,
  { types = [], subject, pageSize, cursor }: ListAdminEventsInput,
  options?: CallOptions,
): Promise<AdminEventPage> {
  const request = { types: types.map((type) => WireType[type]), subject, pageSize, cursor };
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.audit.listAdminEvents(request, rpc) },
    options,
  );
  const { nextCursor, hasMore } = answer;
  return { events: answer.events.map(adminEventFromWire), nextCursor: nextCursor || undefined, hasMore };
}
