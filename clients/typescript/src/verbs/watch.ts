import type { MessageInitShape } from '@bufbuild/protobuf';
import type { WatchRequestSchema, WatchResponse } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { Connection } from '../call/connection.ts';
import { delay } from '../call/delay.ts';
import { failureOf } from '../call/failure.ts';
import { backoffMs, sortOf } from '../call/repeat.ts';
import type { TetherError } from '../tether-error.ts';
import { type Action, actionFromWire } from '../wire/action.ts';
import { type ActionEvent, eventFromWire } from '../wire/action-event.ts';
import { type ActionFilter, filterToWire } from './list.ts';

export type WatchInput = ActionFilter & {
  /** `cursor` of the last update that was seen: goes on from there, without a snapshot. */
  readonly cursor?: string;
};

export interface WatchOptions {
  /** Ends the watch: the loop over it ends without an error. */
  readonly signal?: AbortSignal;
  /** After so many milliseconds without a sign of life the connection counts as broken. 40,000 by default; the server gives one every 15,000. */
  readonly silenceMs?: number;
  /** Told whenever the connection broke and is made again; nothing is missed meanwhile. */
  readonly onInterrupted?: (error: TetherError) => void;
}

export type WatchUpdate =
  | /** An action as it is, at the beginning. */ { readonly kind: 'snapshot'; readonly action: Action }
  | /** All that was there has been told; from here on come changes. Once, and not when begun from a cursor. */ {
      readonly kind: 'current';
      readonly cursor: string;
    }
  | {
      readonly kind: 'change';
      readonly event: ActionEvent;
      /** As it was read after the change; it may be further on by then. Not there when it is gone. */
      readonly action?: Action;
      /** Where another watch goes on after this. */
      readonly cursor: string;
    };

/**
 * First the actions as they are, then every change, in order per action. A connection that breaks, falls silent or is closed by a
 * server that stops is made again, from the place where it was; one that breaks during the snapshot begins that anew, so an
 * action may be told twice there. Throws a TetherError when the server refuses, or when it cannot be reached from the start.
 */
export async function* watch(
  connection: Connection,
  input: WatchInput,
  options: WatchOptions = {},
): AsyncGenerator<WatchUpdate, void, undefined> {
  const { signal, onInterrupted } = options;
  const filter = filterToWire(input);
  let cursor = input.cursor ?? '';
  let current = cursor !== '';
  let everHeard = false;
  for (let silentTries = 1; !signal?.aborted; silentTries++) {
    try {
      for await (const { update, cursor: next } of stream(connection, { filter, cursor }, options)) {
        everHeard = true;
        silentTries = 1;
        if (update.case === 'snapshot') {
          yield { kind: 'snapshot', action: actionFromWire(update.value) };
          continue;
        }
        // Only now: whoever goes on from a cursor of the snapshot would miss the rest of it.
        cursor = next;
        if (!current) yield { kind: 'current', cursor };
        current = true;
        const change = changeFromWire(update, cursor);
        if (change !== undefined) yield change;
      }
    } catch (thrown) {
      if (signal?.aborted) return;
      const error = failureOf(thrown, { reads: true, findOut: [] });
      const hopeless = !everHeard && silentTries > connection.pace.repeats;
      if (sortOf(error) === 'final' || hopeless) throw error;
      onInterrupted?.(error);
    }
    await delay(backoffMs(silentTries, connection.pace, Math.random()), signal);
  }
}

/** One connection's updates. Ends when the signal fires or nobody reads on; throws when it breaks or falls silent. */
async function* stream(
  connection: Connection,
  request: MessageInitShape<typeof WatchRequestSchema>,
  { signal, silenceMs = 40_000 }: WatchOptions,
): AsyncGenerator<WatchResponse, void, undefined> {
  const headers = await connection.headers();
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  try {
    const answers = connection.actions.watch(request, { headers, signal: leaving.signal })[Symbol.asyncIterator]();
    for (;;) {
      const silence = setTimeout(() => leaving.abort(new Error(`no sign of life for ${silenceMs} ms`)), silenceMs);
      const answer = await answers.next().finally(() => clearTimeout(silence));
      if (answer.done) return;
      yield answer.value;
    }
  } finally {
    leave();
    signal?.removeEventListener('abort', leave);
  }
}

function changeFromWire(update: WatchResponse['update'], cursor: string): WatchUpdate | undefined {
  if (update.case !== 'change' || update.value.event === undefined) return undefined;
  const { event, action } = update.value;
  return { kind: 'change', event: eventFromWire(event), action: action && actionFromWire(action), cursor };
}
