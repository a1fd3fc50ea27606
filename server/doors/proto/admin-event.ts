import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AdminEventSchema,
  AdminEventType,
  type AdminEvent as WireEvent,
} from '@tether/proto/tether/v1/admin_event_pb.ts';
import * as lifecycle from '../../lifecycle/ports/admin-events.ts';
import type { Tie } from '../../wire/tie.ts';

const typeToWire: Tie<lifecycle.AdminEventType, typeof AdminEventType> = {
  CREDENTIAL_CREATED: AdminEventType.CREDENTIAL_CREATED,
  CREDENTIAL_ROTATED: AdminEventType.CREDENTIAL_ROTATED,
  CREDENTIAL_REVOKED: AdminEventType.CREDENTIAL_REVOKED,
  STOPPED: AdminEventType.STOPPED,
  RESUMED: AdminEventType.RESUMED,
};

/** What an operator did, as it travels; a kind that a later version recorded is unspecified. */
export function adminEventToWire({ type, subject, actor, detailJson, at }: lifecycle.AdminEvent): WireEvent {
  const known = lifecycle.adminEventTypes.find((each) => each === type);
  return create(AdminEventSchema, {
    type: known === undefined ? AdminEventType.UNSPECIFIED : typeToWire[known],
    subject,
    actor: actor ?? undefined,
    detailJson,
    occurredAt: timestampFromDate(at),
  });
}

/** Null for all. A number that is no kind does not get past the contract's rules. */
export function adminEventTypesFromWire(types: readonly AdminEventType[]): lifecycle.AdminEventType[] | null {
  if (types.length === 0) return null;
  return lifecycle.adminEventTypes.filter((type) => types.includes(typeToWire[type]));
}
