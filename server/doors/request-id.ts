import { randomUUID } from 'node:crypto';

/** The header, and the metadata key on gRPC, in both directions. */
export const requestIdHeader = 'x-request-id';

/** Safe to put back into a header and into a log: no spaces, nothing invisible. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** The caller's own request id where it is sane, else a new one: what a caller tells the operator, who finds it in the log. */
export function requestIdFrom(header: unknown): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}
