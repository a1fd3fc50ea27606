import type pg from 'pg';
import { type Args, textArgument } from '../call.ts';
import { Refused } from '../refused.ts';
import { lockTicket, usd } from './find-ticket.ts';

/** Voids an open ticket. */
export async function voidTicket(db: pg.ClientBase, args: Args): Promise<unknown> {
  const reason = textArgument(args, 'reason');
  const ticket = await lockTicket(db, args);
  if (ticket.status !== 'open') {
    throw new Refused('ticket_not_open', `Ticket ${ticket.id} is ${ticket.status}; only an open one can be voided.`, {
      field: 'ticket_id',
      received: ticket.status,
      accepted: ['open'],
      alternatives: alternativesTo(ticket.id, ticket.status),
    });
  }
  const { rows } = await db.query<{ closed_at: Date }>(
    `update tickets set status = 'void', closed_at = clock_timestamp(), void_reason = $2 where id = $1 returning closed_at`,
    [ticket.id, reason],
  );
  return {
    ticket_id: ticket.id,
    status: 'void',
    total_usd: usd(ticket.total_cents),
    reason,
    voided_at: rows[0]?.closed_at.toISOString(),
  };
}

function alternativesTo(id: string, status: string) {
  const look = {
    action: 'look_up',
    tool: 'get_ticket',
    arguments: { ticket_id: id },
    description: 'See what became of it.',
  };
  if (status !== 'paid') return [look];
  return [look, { action: 'refund', tool: 'refund', description: 'Pay back what was paid.' }];
}
