import { create } from '@bufbuild/protobuf';
import type { WatchResponse } from '@tether/proto/tether/v1/action_service_pb.ts';
import {
  ActionChangeSchema,
  WatchHeartbeatSchema,
  WatchResponseSchema,
} from '@tether/proto/tether/v1/action_service_pb.ts';
import type { WatchUpdate } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { eventToWire } from './event.ts';

/** One thing that a watcher is told. */
export function watchUpdateToWire(update: WatchUpdate): WatchResponse {
  return create(WatchResponseSchema, { update: updateOf(update), cursor: update.cursor });
}

function updateOf(update: WatchUpdate): WatchResponse['update'] {
  switch (update.kind) {
    case 'snapshot':
      return { case: 'snapshot', value: actionToWire(update.action, update.error) };
    case 'change': {
      const change = { event: eventToWire(update.event), action: actionToWire(update.action, update.error) };
      return { case: 'change', value: create(ActionChangeSchema, change) };
    }
    case 'heartbeat':
      return { case: 'heartbeat', value: create(WatchHeartbeatSchema) };
  }
}
