import { resultOf } from '../domain/action.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { find } from './find.ts';
import type { Lookup, Replayed } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';

/** The stored result, or the state of an action that has none; never runs anything (DESIGN §2.3). */
export async function replay(store: ActionStore, principal: Principal, lookup: Lookup): Promise<Replayed> {
  const observed = await find(store, principal, lookup);
  const result = resultOf(observed.action);
  const modelJson = modelText(observed, { idempotentReplay: result !== null });
  return { action: observed.action, error: errorOf(observed), result, modelJson };
}
