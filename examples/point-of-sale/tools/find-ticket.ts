import type pg from 'pg';
import { type Args, textArgument } from '../call.ts';
import { Refused } from '../refused.ts';

export interface Ticket {
  readonly id: string;
  readonly table_no: number;
  readonly status: 'open' | 'paid' | 'void';
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly total_cents: number;
  readonly refunded_cents: number;
}

const columns = `id, table_no, status, opened_at, closed_at,
  (select coalesce(sum(quantity * unit_price_cents), 0)::integer from ticket_lines where ticket_id = tickets.id) as total_cents,
  (select coalesce(sum(amount_cents), 0)::integer from refunds where ticket_id = tickets.id) as refunded_cents`;

/** The ticket that `ticket_id` names; refuses when there is none. */
export async function findTicket(db: pg.ClientBase | pg.Pool, args: Args): Promise<Ticket> {
  const id = textArgument(args, 'ticket_id');
  const { rows } = await db.query<Ticket>(`select ${columns} from tickets where id = $1`, [id]);
  const [ticket] = rows;
  if (ticket !== undefined) return ticket;
  throw new Refused('ticket_not_found', `There is no ticket ${id}.`, {
    field: 'ticket_id',
    received: id,
    alternatives: [
      { action: 'look_up', tool: 'get_open_tickets', arguments: {}, description: 'List the open tickets.' },
    ],
  });
}

/** The same, locked for the transaction: what is read of it holds until the write is done. */
export async function lockTicket(db: pg.ClientBase, args: Args): Promise<Ticket> {
  await db.query('select from tickets where id = $1 for update', [textArgument(args, 'ticket_id')]);
  return findTicket(db, args);
}

export function usd(cents: number): number {
  return cents / 100;
}
