import type { Observed } from '../domain/action.ts';
import { isPastExpiry } from '../domain/action.ts';
import type { Event } from '../domain/transition.ts';
import { transition } from '../domain/transition.ts';
import { followUp } from './follow-up.ts';
import { oneByOne } from './for-each.ts';
import type { ActionStore, Change } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import type { EventType } from './ports/events.ts';

const batch = 100;

/** Overdue PENDING → EXPIRED: a real transition with its event (DESIGN §2.3). Returns how many it made. */
export function sweepExpired(store: ActionStore, catalog: ToolCatalog): Promise<number> {
  return sweep(
    store,
    (limit) => store.overdue(limit),
    (seen) => changeBy(catalog, seen, { type: 'expire', pastExpiry: isPastExpiry(seen) }, 'EXPIRED', 'expiry'),
  );
}

/** EXECUTING whose lease is over → INDETERMINATE; never back to PENDING, never dispatched again. Returns how many it made. */
export function sweepOrphans(store: ActionStore, catalog: ToolCatalog): Promise<number> {
  return sweep(
    store,
    (limit) => store.orphaned(limit),
    (seen) => {
      const open = seen.action.attempts.find((each) => each.outcome === 'OPEN');
      return open && changeBy(catalog, seen, { type: 'lease-over', attempt: open.number }, 'LEASE_OVER', 'lease');
    },
  );
}

/**
 * Until a batch brings nothing: losing a race means that somebody else has moved the action, which is as good. An action that cannot be
 * moved holds up no other of its batch; its trouble ends the sweep after that.
 */
async function sweep(
  store: ActionStore,
  due: (limit: number) => Promise<Observed[]>,
  change: (seen: Observed) => Change | undefined,
): Promise<number> {
  for (let total = 0; ; ) {
    const found = await due(batch);
    let made = 0;
    await oneByOne(found, async (seen) => {
      const wanted = change(seen);
      if (wanted !== undefined && (await store.apply(wanted)) !== undefined) made += 1;
    });
    total += made;
    if (made === 0 || found.length < batch) return total;
  }
}

function changeBy(
  catalog: ToolCatalog,
  { action }: Observed,
  event: Event,
  name: EventType,
  due: 'expiry' | 'lease',
): Change | undefined {
  const moved = transition(action, event);
  if (moved.kind !== 'moved') return undefined;
  const { state, effect } = moved;
  const attempts = moved.attempts.map((change) => ({ ...change, error: silenceError, result: null }));
  return { action, state, effect, event: name, actor: null, due, attempts, ...followUp(catalog, action, moved) };
}

/** Why an attempt whose lease is over has no answer. */
const silenceError = {
  code: 'OUTCOME_INDETERMINATE',
  message: 'Whoever carried this attempt stopped before its answer was recorded.',
  effect: 'UNKNOWN',
  retryable: false,
} as const;

/** How long what is settled is kept, ms. */
export interface Retention {
  readonly actionsMs: number;
  readonly eventsMs: number;
}

/** Deletes what is older than its retention, never what is in doubt (DESIGN §2.3). Returns how much it deleted. */
export async function sweepRetention(store: ActionStore, keep: Retention): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await store.retain({ ...keep, limit: batch });
    total += gone;
    if (gone < batch) return total;
  }
}
