import { type Action, isPastExpiry } from '../domain/action.ts';
import { modelText } from '../domain/model-text.ts';
import { onceFor } from '../domain/once-for.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { find } from './find.ts';
import type { Lookup, Shown } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';

/** Everything that is known of an action: the read that closes the gap for whoever lost a reply (DESIGN §2.3). */
export async function get(store: ActionStore, principal: Principal, lookup: Lookup): Promise<Shown> {
  const observed = await find(store, principal, lookup);
  return (isPastExpiry(observed) ? shownPastExpiry : shownInTime)(observed.action);
}

/** What is told of an action depends on the time in one way only. The store gives an action out again while nothing of it has changed. */
const shownInTime = onceFor((action: Action) => shownAt(action, new Date(action.expiresAt.getTime() - 1)));
const shownPastExpiry = onceFor((action: Action) => shownAt(action, action.expiresAt));

function shownAt(action: Action, at: Date): Shown {
  const observed = { action, at };
  return { action, error: errorOf(observed), modelJson: modelText(observed, { idempotentReplay: false }) };
}
