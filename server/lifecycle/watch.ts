import type { Action, ActionId, Observed } from '../domain/action.ts';
import { needsAttention } from '../domain/action.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { cursorOf, positionOf } from './event-cursor.ts';
import { maySee } from './find.ts';
import type { WatchUpdate } from './lifecycle.ts';
import { visibleTo } from './list.ts';
import type { ActionFilter, ActionStore } from './ports/action-store.ts';
import type { ActionEvent, EventLog, Position } from './ports/events.ts';
import type { Clock } from './ports/process.ts';
import type { SnapshotPages } from './snapshot-pages.ts';
import { createToldActions, type ToldActions } from './told-actions.ts';

export interface WatchPorts {
  readonly store: ActionStore;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly pages: SnapshotPages;
}

/** A sign of life at least so often (DESIGN §2.3). */
const heartbeatMs = 15_000;
/** How long a change may take to be seen when its notification went missing. */
const lookAgainMs = 2_000;
const page = 200;
const snapshotPage = 100;

/**
 * First the actions as they are, then every change, in order per action. What is told is read from the audit trail, so a missed
 * notification costs latency and never an event; the cursor goes on where another stream, on any replica, was cut.
 */
export async function* watch(
  ports: WatchPorts,
  principal: Principal,
  input: { readonly filter: ActionFilter; readonly cursor: string },
  signal: AbortSignal,
): AsyncGenerator<WatchUpdate> {
  const wake = createWake();
  const stop = ports.events.listen(principal.tenantId, wake.now);
  try {
    const resumed = input.cursor === '' ? null : positionOf(input.cursor);
    // The end of the trail is taken before the snapshot is read: what changes meanwhile is told again as a change, or known.
    const from = resumed ?? (await ports.events.end());
    const told = createToldActions(input.filter, resumed !== null);
    if (resumed === null) {
      yield* snapshot(ports, principal, input.filter, cursorOf(from), told);
    }
    yield { kind: 'heartbeat', cursor: cursorOf(from) };
    yield* changes(ports, principal, { ...input, resumed: resumed !== null, from, told }, wake, signal);
  } finally {
    stop();
  }
}

async function* snapshot(
  { pages }: WatchPorts,
  principal: Principal,
  filter: ActionFilter,
  cursor: string,
  told: ToldActions,
): AsyncGenerator<WatchUpdate> {
  const since = pages.now();
  for (let after: ActionId | null = null; ; ) {
    const { items, more } = await pages.read({ ...visibleTo(principal, filter), limit: snapshotPage, after }, since);
    for (const observed of items) {
      told.shown(observed.action.id, observed.action.version);
      yield { kind: 'snapshot', action: observed.action, error: errorOf(observed), cursor };
    }
    const last = items.at(-1);
    if (!more || last === undefined) return;
    after = last.action.id;
  }
}

interface Telling {
  readonly filter: ActionFilter;
  /** Whether an earlier stream may have told of actions that this one has not. */
  readonly resumed: boolean;
  readonly from: Position;
  readonly told: ToldActions;
}

async function* changes(
  ports: WatchPorts,
  principal: Principal,
  { filter, resumed, from, told }: Telling,
  wake: Wake,
  signal: AbortSignal,
): AsyncGenerator<WatchUpdate> {
  const { store, events, clock } = ports;
  let position = from;
  let quietSince = clock.monotonic();
  while (!signal.aborted) {
    wake.reset();
    const read = await events.read({ tenantId: principal.tenantId, after: position, limit: page });
    const seen = new Map<ActionId, Observed | undefined>();
    for (const event of read) {
      position = event.position;
      const known = told.of(event.actionId);
      if (known !== undefined && event.version <= known.version) continue;
      if (!seen.has(event.actionId)) seen.set(event.actionId, await store.find(principal.tenantId, event.actionId));
      const observed = seen.get(event.actionId);
      if (observed === undefined || !maySee(principal, observed)) continue;
      const { action } = observed;
      const fitted = known?.fitted ?? (resumed && mayHaveFitted(filter, action, event));
      const fits = fitsAfter(filter, action, event);
      if (!fitted && !fits) continue;
      told.changed(event.actionId, event.version, fits);
      yield { kind: 'change', event, action, error: errorOf(observed), cursor: cursorOf(position) };
      quietSince = clock.monotonic();
    }
    if (read.length === page) continue;
    if (clock.monotonic() - quietSince >= heartbeatMs) {
      yield { kind: 'heartbeat', cursor: cursorOf(position) };
      quietSince = clock.monotonic();
    }
    await clock.delay(lookAgainMs, AbortSignal.any([signal, wake.signal()]));
  }
}

/** By the state that the change itself led to: the action may be further on by now, and none of its changes is lost for that. */
function fitsAfter(filter: ActionFilter, action: Action, { to }: ActionEvent): boolean {
  return (
    fitsForGood(filter, action) &&
    (filter.states === undefined || filter.states.includes(to)) &&
    (filter.needsAttention !== true || needsAttention(action))
  );
}

/** Whether a stream that was cut can have told of the action: then its watcher must hear that it fits no more. */
function mayHaveFitted(filter: ActionFilter, action: Action, { from }: ActionEvent): boolean {
  return from !== null && fitsForGood(filter, action) && (filter.states === undefined || filter.states.includes(from));
}

/** What no change changes. */
function fitsForGood(filter: ActionFilter, action: Action): boolean {
  return (
    (filter.planId === undefined || filter.planId === action.planId) &&
    (filter.scope === undefined || filter.scope === action.scope) &&
    (filter.userId === undefined || filter.userId === action.userId) &&
    (filter.tool === undefined || filter.tool === action.tool)
  );
}

interface Wake {
  /** Something may have happened. */
  now(): void;
  /** From here on only what happens later counts. */
  reset(): void;
  /** Fires, or has fired, when something may have happened since the reset. */
  signal(): AbortSignal;
}

function createWake(): Wake {
  let controller = new AbortController();
  return {
    now: () => controller.abort(),
    reset: () => {
      if (controller.signal.aborted) controller = new AbortController();
    },
    signal: () => controller.signal,
  };
}
