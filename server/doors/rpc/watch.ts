import type { WatchRequestSchema, WatchResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { CallError } from '../../domain/error.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { filterFromWire } from '../proto/filter.ts';
import { watchUpdateToWire } from '../proto/watch-update.ts';
import { rolesOfActionService } from '../roles.ts';
import type { StreamRpc } from './rpc.ts';
import { createTurnstile } from './turnstile.ts';

/** How much of all watchers is told in one turn of the event loop: some tenths of a millisecond of work. */
const perTurn = 4;

export function watchRpc(lifecycle: Lifecycle): StreamRpc<typeof WatchRequestSchema, typeof WatchResponseSchema> {
  const turnstile = createTurnstile(perTurn);
  return {
    kind: 'stream',
    method: ActionService.method.watch,
    roles: rolesOfActionService.watch,
    harmless: true,
    async *stream(principal, { filter, cursor }, signal) {
      const updates = lifecycle.watch(principal, { filter: filterFromWire(filter), cursor }, signal);
      for await (const update of updates) {
        await turnstile.pass();
        yield watchUpdateToWire(update);
      }
    },
    whenStopping,
  };
}

function whenStopping(): CallError {
  return new CallError('UNAVAILABLE', {
    message:
      'This server is stopping, or closes the connection, which is an old one. Watch again and resume with your cursor, that of the last response you saw: nothing is missed.',
    retryable: true,
    alternatives: [{ action: 'watch', description: 'Watch again, with the cursor of the last response you saw.' }],
  });
}
