import type pg from 'pg';
import type { Args, Call } from './call.ts';
import { doOnce } from './ledger.ts';
import { Refused } from './refused.ts';
import { changePrice } from './tools/change-price.ts';
import { getOpenTickets } from './tools/get-open-tickets.ts';
import { getTicket } from './tools/get-ticket.ts';
import { refund } from './tools/refund.ts';
import { voidTicket } from './tools/void-ticket.ts';

const reads: Readonly<Record<string, (db: pg.Pool, args: Args) => Promise<unknown>>> = {
  get_open_tickets: getOpenTickets,
  get_ticket: getTicket,
};

const writes: Readonly<Record<string, (db: pg.ClientBase, args: Args) => Promise<unknown>>> = {
  void_ticket: voidTicket,
  refund,
  change_price: changePrice,
};

/** How a call was answered: `done` by this call, or `repeated` from the ledger. `body` is JSON text. */
export interface Answered {
  readonly how: 'read' | 'done' | 'repeated';
  readonly body: string;
}

/** Runs a tool; throws Refused when the shop says no. */
export async function answer(pool: pg.Pool, call: Call): Promise<Answered> {
  const { tool, mode } = call;
  const read = Object.hasOwn(reads, tool) ? reads[tool] : undefined;
  const write = Object.hasOwn(writes, tool) ? writes[tool] : undefined;
  if (read !== undefined && mode === 'read') return { how: 'read', body: JSON.stringify(await read(pool, call.args)) };
  if (write !== undefined && mode === 'execute') {
    const { result, repeated } = await doOnce(pool, call, write);
    return { how: repeated ? 'repeated' : 'done', body: result };
  }
  if (read === undefined && write === undefined) {
    const accepted = [...Object.keys(reads), ...Object.keys(writes)];
    throw new Refused('unknown_tool', `There is no tool ${tool} here.`, { field: 'tool', received: tool, accepted });
  }
  // A catalog that declares a write as a read would have it run unasked and repeated: not here.
  const kind = write === undefined ? 'a read' : 'a write';
  const accepted = [write === undefined ? 'read' : 'execute'];
  throw new Refused('wrong_mode', `${tool} is ${kind}; nothing was done.`, { field: 'mode', received: mode, accepted });
}
