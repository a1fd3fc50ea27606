import type pg from 'pg';
import { type Args, centsArgument, textArgument } from '../call.ts';
import { Refused } from '../refused.ts';
import { usd } from './find-ticket.ts';

/** Sets the price of an item from now on. */
export async function changePrice(db: pg.ClientBase, args: Args): Promise<unknown> {
  const id = textArgument(args, 'item_id');
  const cents = centsArgument(args, 'price_usd');
  const { rows } = await db.query<{ name: string; price_cents: number }>(
    'select name, price_cents from items where id = $1 for update',
    [id],
  );
  const [item] = rows;
  if (item === undefined) {
    const items = await db.query<{ id: string }>('select id from items order by id limit 50');
    throw new Refused('item_not_found', `There is no item ${id} on the menu.`, {
      field: 'item_id',
      received: id,
      accepted: items.rows.map((row) => row.id),
    });
  }
  await db.query('update items set price_cents = $2 where id = $1', [id, cents]);
  return { item_id: id, name: item.name, price_usd: usd(cents), previous_price_usd: usd(item.price_cents) };
}
