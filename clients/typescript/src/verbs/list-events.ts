import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { Page, PageInput } from '../pages.ts';
import { type ActionEvent, eventFromWire } from '../wire/action-event.ts';

export interface ListEventsInput extends PageInput {
  /** Of this action; of the whole tenant, for operators, when it is not there. */
  readonly actionId?: string;
}

export interface EventPage extends Page {
  /** Oldest first. */
  readonly events: readonly ActionEvent[];
}

export async function listEvents(
  connection: Connection,
  input: ListEventsInput,
  options?: CallOptions,
): Promise<EventPage> {
  const { actionId, pageSize, cursor } = input;
  const request = { actionId, pageSize, cursor };
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.actions.listEvents(request, rpc) },
    options,
  );
  const { nextCursor, hasMore } = answer;
  return { events: answer.events.map(eventFromWire), nextCursor: nextCursor || undefined, hasMore };
}
