import type pg from 'pg';
import type { Args, Call, Probe } from './call.ts';
import { doOnce } from './ledger.ts';
import { type Disposition, dispositionBody, probe } from './probe.ts';
import { Refused } from './refused.ts';
import { changePrice } from './tools/change-price.ts';
import { getItem } from './tools/get-item.ts';
import { getOpenTickets } from './tools/get-open-tickets.ts';
import { getTicket } from './tools/get-ticket.ts';
import { refund } from './tools/refund.ts';
import { voidTicket } from './tools/void-ticket.ts';

const reads: Readonly<Record<string, (db: pg.Pool, args: Args) => Promise<unknown>>> = {
  get_open_tickets: getOpenTickets,
  get_ticket: getTicket,
  get_item: getItem,
};

const writes: Readonly<Record<string, (db: pg.ClientBase, args: Args) => Promise<unknown>>> = {
  void_ticket: voidTicket,
  refund,
  change_price: changePrice,
};

/** How a call was answered: `done` by this call, `repeated` from the ledger, or what a probe was told. `body` is JSON text. */
export interface Answered {
  readonly how: 'read' | 'done' | 'repeated' | Disposition['disposition'];
  readonly body: string;
}

/** Runs a tool; throws Refused when the shop says no. */
export async function answer(pool: pg.Pool, call: Call | Probe): Promise<Answered> {
  const { tool } = call;
  const read = Object.hasOwn(reads, tool) ? reads[tool] : undefined;
  const write = Object.hasOwn(writes, tool) ? writes[tool] : undefined;
  if (call.mode === 'probe') {
    const told: Disposition = write === undefined ? { disposition: 'unknown' } : await probe(pool, call);
    return { how: told.disposition, body: dispositionBody(told) };
  }
  const { mode } = call;
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
