import type pg from 'pg';
import { type Args, centsArgument, textArgument } from '../call.ts';
import { Refused } from '../refused.ts';
import { lockTicket, type Ticket, usd } from './find-ticket.ts';

/** Pays back all or part of what a paid ticket still holds. */
export async function refund(db: pg.ClientBase, args: Args): Promise<unknown> {
  const cents = centsArgument(args, 'amount_usd');
  const reason = textArgument(args, 'reason');
  const ticket = await lockTicket(db, args);
  if (ticket.status !== 'paid') throw notPaid(ticket);
  const left = ticket.total_cents - ticket.refunded_cents;
  if (cents === 0 || cents > left) throw tooMuch(ticket, cents, left, reason);
  const { rows } = await db.query<{ id: string; refunded_at: Date }>(
    'insert into refunds (ticket_id, amount_cents, reason) values ($1, $2, $3) returning id, refunded_at',
    [ticket.id, cents, reason],
  );
  return {
    refund_id: `R-${rows[0]?.id}`,
    ticket_id: ticket.id,
    amount_usd: usd(cents),
    refunded_total_usd: usd(ticket.refunded_cents + cents),
    reason,
    refunded_at: rows[0]?.refunded_at.toISOString(),
  };
}

function notPaid({ id, status }: Ticket): Refused {
  const voiding = { action: 'void', tool: 'void_ticket', description: 'Void the ticket, so that nobody pays it.' };
  return new Refused('ticket_not_paid', `Ticket ${id} is ${status}; only a paid one can be refunded.`, {
    field: 'ticket_id',
    received: status,
    accepted: ['paid'],
    ...(status === 'open' ? { alternatives: [voiding] } : {}),
  });
}

function tooMuch({ id, total_cents, refunded_cents }: Ticket, cents: number, left: number, reason: string): Refused {
  const paid = `${usd(total_cents)} USD were paid and ${usd(refunded_cents)} USD refunded before`;
  const message = `A refund of ${usd(cents)} USD is not possible for ticket ${id}: ${paid}, which leaves ${usd(left)} USD.`;
  const rest = { ticket_id: id, amount_usd: usd(left), reason };
  return new Refused('amount_exceeds_paid', message, {
    field: 'amount_usd',
    received: usd(cents),
    limit: usd(left),
    alternatives:
      left > 0 ? [{ action: 'refund_rest', tool: 'refund', arguments: rest, description: 'Refund what is left.' }] : [],
  });
}
