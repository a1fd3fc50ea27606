import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ActionEvent as WireEvent } from '@tether/proto/tether/v1/action_event_pb.ts';
import { ActionEventSchema } from '@tether/proto/tether/v1/action_event_pb.ts';
import type { ActionEvent } from '../../lifecycle/ports/events.ts';
import { effectToWire, stateToWire } from '../../wire/enums.ts';
import { eventTypeToWire } from './enums.ts';

/** One transition from the audit trail, as it travels. */
export function eventToWire(event: ActionEvent): WireEvent {
  return create(ActionEventSchema, {
    actionId: event.actionId,
    version: BigInt(event.version),
    type: eventTypeToWire[event.type],
    fromState: event.from === null ? undefined : stateToWire[event.from],
    toState: stateToWire[event.to],
    effect: effectToWire[event.effect],
    attempt: event.attempt ?? undefined,
    actor: event.actor ?? undefined,
    previewDigest: event.previewDigest,
    note: event.note,
    occurredAt: timestampFromDate(event.at),
  });
}
