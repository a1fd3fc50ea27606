import type pg from 'pg';
import type { Args } from '../call.ts';
import { findTicket, usd } from './find-ticket.ts';

/** One ticket with its lines. */
export async function getTicket(db: pg.Pool, args: Args): Promise<unknown> {
  const ticket = await findTicket(db, args);
  const { rows } = await db.query<{ item_id: string; name: string; quantity: number; unit_price_cents: number }>(
    `select item_id, name, quantity, unit_price_cents
     from ticket_lines join items on items.id = item_id where ticket_id = $1 order by line_no`,
    [ticket.id],
  );
  return {
    ticket_id: ticket.id,
    table: ticket.table_no,
    status: ticket.status,
    total_usd: usd(ticket.total_cents),
    refunded_usd: usd(ticket.refunded_cents),
    refundable_usd: ticket.status === 'paid' ? usd(ticket.total_cents - ticket.refunded_cents) : 0,
    opened_at: ticket.opened_at.toISOString(),
    closed_at: ticket.closed_at?.toISOString() ?? null,
    lines: rows.map((line) => ({
      item_id: line.item_id,
      name: line.name,
      quantity: line.quantity,
      unit_price_usd: usd(line.unit_price_cents),
    })),
  };
}
