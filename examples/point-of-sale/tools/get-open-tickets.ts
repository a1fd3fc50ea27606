import type pg from 'pg';
import type { Args } from '../call.ts';
import { Refused } from '../refused.ts';
import { usd } from './find-ticket.ts';

const most = 100;

/** The open tickets, oldest first. One more is read than returned, to know whether there are more. */
export async function getOpenTickets(db: pg.Pool, { limit = 20 }: Args): Promise<unknown> {
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > most) {
    const message = `"limit" must be an integer from 1 to ${most}.`;
    throw new Refused('invalid_argument', message, { field: 'limit', received: limit, limit: most });
  }
  const { rows } = await db.query<{ id: string; table_no: number; opened_at: Date; total_cents: number }>(
    `select id, table_no, opened_at, (
       select coalesce(sum(quantity * unit_price_cents), 0)::integer from ticket_lines where ticket_id = tickets.id
     ) as total_cents
     from tickets where status = 'open' order by opened_at, id limit $1`,
    [limit + 1],
  );
  const tickets = rows.slice(0, limit).map((row) => ({
    ticket_id: row.id,
    table: row.table_no,
    total_usd: usd(row.total_cents),
    opened_at: row.opened_at.toISOString(),
  }));
  return { tickets, returned: tickets.length, truncated: rows.length > limit };
}
