import type pg from 'pg';
import { type Args, textArgument } from '../call.ts';
import { Refused } from '../refused.ts';

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly price_cents: number;
}

/** The item that `item_id` names; refuses when there is none. */
export async function findItem(db: pg.ClientBase | pg.Pool, args: Args): Promise<Item> {
  const id = textArgument(args, 'item_id');
  const { rows } = await db.query<Item>('select id, name, price_cents from items where id = $1', [id]);
  const [item] = rows;
  if (item !== undefined) return item;
  const items = await db.query<{ id: string }>('select id from items order by id limit 50');
  throw new Refused('item_not_found', `There is no item ${id} on the menu.`, {
    field: 'item_id',
    received: id,
    accepted: items.rows.map((row) => row.id),
  });
}

/** The same, locked for the transaction: what is read of it holds until the write is done. */
export async function lockItem(db: pg.ClientBase, args: Args): Promise<Item> {
  await db.query('select from items where id = $1 for update', [textArgument(args, 'item_id')]);
  return findItem(db, args);
}
