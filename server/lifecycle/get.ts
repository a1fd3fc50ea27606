import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { find } from './find.ts';
import type { Lookup, Shown } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';

/** Everything that is known of an action: the read that closes the gap for whoever lost a reply (DESIGN §2.3). */
export async function get(store: ActionStore, principal: Principal, lookup: Lookup): Promise<Shown> {
  const observed = await find(store, principal, lookup);
  return {
    action: observed.action,
    error: errorOf(observed),
    modelJson: modelText(observed, { idempotentReplay: false }),
  };
}
