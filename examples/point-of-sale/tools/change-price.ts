import type pg from 'pg';
import { type Args, centsArgument } from '../call.ts';
import { lockItem } from './find-item.ts';
import { usd } from './find-ticket.ts';

/** Sets the price of an item from now on. */
export async function changePrice(db: pg.ClientBase, args: Args): Promise<unknown> {
  const cents = centsArgument(args, 'price_usd');
  const item = await lockItem(db, args);
  await db.query('update items set price_cents = $2 where id = $1', [item.id, cents]);
  return { item_id: item.id, name: item.name, price_usd: usd(cents), previous_price_usd: usd(item.price_cents) };
}
