import type { AdminEvent as WireEvent } from '@tether/proto/clients/tether/v1/admin_event_pb.ts';
import type { JsonValue } from '../json/json-number.ts';
import { type Actor, actorFromWire } from './action.ts';
import { type AdminEventType, adminEventType } from './enums.ts';
import { jsonIf } from './error.ts';
import { dateOf } from './time.ts';

/** Something that an operator did in the tenant. */
export interface AdminEvent {
  readonly type: AdminEventType;
  /** What it was done to: the id of a credential, or what was stopped; empty for the whole tenant. */
  readonly subject: string;
  /** Not there when Tether itself did it. */
  readonly actor?: Actor;
  /** What else there is to tell. */
  readonly detail?: JsonValue;
  readonly occurredAt: Date;
}

export function adminEventFromWire({ type, subject, actor, detailJson, occurredAt }: WireEvent): AdminEvent {
  return {
    ...{ type: adminEventType(type), subject, actor: actor && actorFromWire(actor) },
    ...{ detail: jsonIf(detailJson), occurredAt: dateOf(occurredAt) },
  };
}
