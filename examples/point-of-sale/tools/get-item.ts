import type pg from 'pg';
import type { Args } from '../call.ts';
import { findItem } from './find-item.ts';
import { usd } from './find-ticket.ts';

/** One item of the menu with its price as it is now. */
export async function getItem(db: pg.Pool, args: Args): Promise<unknown> {
  const item = await findItem(db, args);
  return { item_id: item.id, name: item.name, price_usd: usd(item.price_cents) };
}
