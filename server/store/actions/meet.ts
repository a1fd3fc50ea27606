import type { Inserted, NewAction } from '../../lifecycle/ports/action-store.ts';
import type { Database } from '../database.ts';
import { findByIntent } from './find.ts';
import { holds } from './holds.ts';
import { remember, requested } from './request.ts';

/** See {@link ActionStore.meet}. */
export async function meet(
  database: Database,
  action: NewAction,
): Promise<Exclude<Inserted, { kind: 'inserted' }> | undefined> {
  const before = await requested(database, action);
  if (before) return { kind: 'requested', observed: before };
  const holder = await findByIntent(database, action.tenantId, action.intentHash);
  if (!holder || !holds(holder)) return undefined;
  if (await remember(database, action, holder.action)) return { kind: 'held', observed: holder };
  const taken = await requested(database, action);
  return taken && { kind: 'requested', observed: taken };
}
