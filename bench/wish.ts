import { randomBytes } from 'node:crypto';

/** The tool that everybody calls. */
export const tool = 'void_ticket';

const run = randomBytes(6).toString('hex');
let count = 0;

/** Arguments, in RFC 8785 form, that nobody has asked for before. */
export function newArguments(): string {
  count++;
  return `{"amount_usd":42.5,"reason":"guest left before the food came","ticket_id":"T-${run}-${count}"}`;
}
