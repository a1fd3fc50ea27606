import type { ActionEvent as WireEvent } from '@tether/proto/clients/tether/v1/action_event_pb.ts';
import { type Actor, actorFromWire } from './action.ts';
import type { ActionEventType, ActionState, Effect } from './enums.ts';
import { actionEventType, actionState, effectOf } from './enums.ts';
import { dateOf } from './time.ts';

/** One transition of one action, from the audit trail. */
export interface ActionEvent {
  readonly actionId: string;
  /** The action's version after it. */
  readonly version: number;
  readonly type: ActionEventType;
  /** UNSPECIFIED for STAGED. */
  readonly fromState: ActionState;
  readonly toState: ActionState;
  /** After it. */
  readonly effect: Effect;
  /** Which attempt it was about, from 1; not there when it was about none. */
  readonly attempt?: number;
  /** Not there when Tether itself did it. */
  readonly actor?: Actor;
  readonly previewDigest: string;
  /** A rejection's reason, a resolution's note, what differed. */
  readonly note?: string;
  readonly occurredAt: Date;
}

export function eventFromWire(event: WireEvent): ActionEvent {
  return {
    actionId: event.actionId,
    version: Number(event.version),
    type: actionEventType(event.type),
    fromState: actionState(event.fromState),
    toState: actionState(event.toState),
    effect: effectOf(event.effect),
    attempt: event.attempt || undefined,
    actor: event.actor && actorFromWire(event.actor),
    previewDigest: event.previewDigest,
    note: event.note || undefined,
    occurredAt: dateOf(event.occurredAt),
  };
}
