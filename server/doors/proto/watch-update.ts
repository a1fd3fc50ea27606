import { create } from '@bufbuild/protobuf';
import type { Action as WireAction } from '@tether/proto/tether/v1/action_pb.ts';
import type { WatchResponse } from '@tether/proto/tether/v1/action_service_pb.ts';
import {
  ActionChangeSchema,
  WatchHeartbeatSchema,
  WatchResponseSchema,
} from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Action } from '../../domain/action.ts';
import type { ActionableError } from '../../domain/error.ts';
import type { WatchUpdate } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { eventToWire } from './event.ts';

/** What is told to many watchers at once, told once what it is on the wire; forgotten with the action. */
const told = new WeakMap<Action, WireAction>();

/** One thing that a watcher is told. */
export function watchUpdateToWire(update: WatchUpdate): WatchResponse {
  return create(WatchResponseSchema, { update: updateOf(update), cursor: update.cursor });
}

function updateOf(update: WatchUpdate): WatchResponse['update'] {
  switch (update.kind) {
    case 'snapshot':
      return { case: 'snapshot', value: snapshotToWire(update.action, update.error) };
    case 'change': {
      const change = { event: eventToWire(update.event), action: actionToWire(update.action, update.error) };
      return { case: 'change', value: create(ActionChangeSchema, change) };
    }
    case 'heartbeat':
      return { case: 'heartbeat', value: create(WatchHeartbeatSchema) };
  }
}

function snapshotToWire(action: Action, error: ActionableError | null): WireAction {
  const before = told.get(action);
  if (before !== undefined) return before;
  const wire = actionToWire(action, error);
  told.set(action, wire);
  return wire;
}
