import type { MessageInitShape } from '@bufbuild/protobuf';
import { ActionState as WireState } from '@tether/proto/clients/tether/v1/action_pb.ts';
import type { ActionFilterSchema } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { Page, PageInput } from '../pages.ts';
import { type Action, actionFromWire } from '../wire/action.ts';
import type { ActionState, Meant } from '../wire/enums.ts';

/** Which actions; what is there must all hold. */
export interface ActionFilter {
  /** In one of these states; in any when it is empty or not there. */
  readonly states?: readonly Meant<ActionState>[];
  readonly planId?: string;
  readonly scope?: string;
  /** Proposed on behalf of this user. */
  readonly userId?: string;
  readonly tool?: string;
  /** True: only what needs a person's attention. */
  readonly needsAttention?: boolean;
}

export type ListInput = ActionFilter & PageInput;

export interface ActionPage extends Page {
  /** Newest first. */
  readonly actions: readonly Action[];
}

export async function list(connection: Connection, input: ListInput, options?: CallOptions): Promise<ActionPage> {
  const { pageSize, cursor } = input;
  const request = { filter: filterToWire(input), pageSize, cursor };
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.actions.list(request, rpc) },
    options,
  );
  const nextCursor = answer.nextCursor || undefined;
  return { actions: answer.actions.map(actionFromWire), nextCursor, hasMore: nextCursor !== undefined };
}

export function filterToWire(filter: ActionFilter): MessageInitShape<typeof ActionFilterSchema> {
  const { states = [], planId, scope, userId, tool, needsAttention } = filter;
  return { states: states.map((state) => WireState[state]), planId, scope, userId, tool, needsAttention };
}
