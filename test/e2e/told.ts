/** What the contract's messages say, in words that a failing test can show. */
import { Code, ConnectError } from '@connectrpc/connect';
import { ActionEventType } from '@tether/proto/tether/v1/action_event_pb.ts';
import { type Action, ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import type { ActionId } from '../../server/domain/action.ts';
import { nameOf } from '../faults/name-of.ts';
import type { Replica } from './business.ts';

/** `STATE/EFFECT`. */
export function standing(action: Action | undefined): string {
  return `${nameOf(ActionState, action?.state)}/${nameOf(Effect, action?.effect)}`;
}

export function status(response: { readonly status: ConfirmStatus }): string {
  return nameOf(ConfirmStatus, response.status);
}

/** The types of an action's events, oldest first. */
export async function story({ approver }: Replica, actionId: ActionId): Promise<string[]> {
  const { events } = await approver.listEvents({ actionId });
  return events.map(({ type }) => nameOf(ActionEventType, type));
}

/** Why a call was refused; throws when it was not, or without a reason. */
export async function refusal(call: Promise<unknown>): Promise<ActionableError & { readonly status: string }> {
  try {
    await call;
  } catch (error) {
    const reason = ConnectError.from(error);
    const [detail] = reason.findDetails(ActionableErrorSchema);
    if (detail === undefined) throw error;
    return { ...detail, status: Code[reason.code] };
  }
  throw new Error('the call was not refused');
}
