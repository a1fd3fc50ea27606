import { ActionEventType } from '@tether/proto/tether/v1/action_event_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ProbeDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import type * as lifecycle from '../../lifecycle/lifecycle.ts';
import type { ProbeAnswer } from '../../lifecycle/ports/dispatcher.ts';
import type { EventType } from '../../lifecycle/ports/events.ts';
import type { Tie } from '../../wire/tie.ts';

export const confirmStatusToWire: Tie<lifecycle.ConfirmStatus, typeof ConfirmStatus> = {
  EXECUTED: ConfirmStatus.EXECUTED,
  REPLAYED: ConfirmStatus.REPLAYED,
  REFUSED: ConfirmStatus.REFUSED,
  FAILED_RETRYABLE: ConfirmStatus.FAILED_RETRYABLE,
  FAILED: ConfirmStatus.FAILED,
  INDETERMINATE: ConfirmStatus.INDETERMINATE,
  PRECONDITION_FAILED: ConfirmStatus.PRECONDITION_FAILED,
};

export const eventTypeToWire: Tie<EventType, typeof ActionEventType> = {
  STAGED: ActionEventType.STAGED,
  CLAIMED: ActionEventType.CLAIMED,
  SETTLED: ActionEventType.SETTLED,
  LATE_ANSWER: ActionEventType.LATE_ANSWER,
  LEASE_OVER: ActionEventType.LEASE_OVER,
  EXPIRED: ActionEventType.EXPIRED,
  REJECTED: ActionEventType.REJECTED,
  SUPERSEDED: ActionEventType.SUPERSEDED,
  PRECONDITION_CHANGED: ActionEventType.PRECONDITION_CHANGED,
  RESOLVED: ActionEventType.RESOLVED,
  PROBED: ActionEventType.PROBED,
  VERIFIED: ActionEventType.VERIFIED,
};

export const probeDispositionToWire: Tie<ProbeAnswer['disposition'], typeof ProbeDisposition> = {
  EXECUTED: ProbeDisposition.EXECUTED,
  NOT_EXECUTED: ProbeDisposition.NOT_EXECUTED,
  IN_PROGRESS: ProbeDisposition.IN_PROGRESS,
  UNKNOWN: ProbeDisposition.UNKNOWN,
};
