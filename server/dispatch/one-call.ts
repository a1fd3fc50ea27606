import { causeOf } from './cause.ts';
import type { Failure } from './transport.ts';

/** Where the words of drivers and networks go, under the request's id; a pino logger is one. */
export interface DispatchLog {
  warn(fields: object, message: string): void;
}

/**
 * One call over a transport, its trouble logged: what a driver or network said, and with `statuses` the status of a failure. Never
 * what the peer wrote: it may repeat what it was sent. A fault of ours in there leaves as much doubt as one of the wire.
 */
export async function oneCall<R extends { readonly kind: string }>(
  make: () => Promise<R>,
  log: DispatchLog | undefined,
  facts: object,
  { statuses }: { readonly statuses: boolean },
): Promise<R | Failure> {
  const reply = await attempt(make);
  const trouble = causeIn(reply) ?? (statuses ? statusIn(reply) : undefined);
  if (trouble !== undefined) log?.warn({ ...facts, outcome: reply.kind, ...trouble }, 'a call of an endpoint failed');
  return reply;
}

function causeIn(reply: object): object | undefined {
  if (!('cause' in reply) || reply.cause === undefined) return undefined;
  return { ...('why' in reply ? { why: reply.why } : {}), cause: causeOf(reply.cause) };
}

function statusIn(reply: { readonly kind: string } | Failure): object | undefined {
  if ('why' in reply) return { why: reply.why };
  if ('code' in reply && reply.kind === 'status') return { status: reply.code };
  if (!('status' in reply) || (reply.kind !== 'http' && reply.kind !== 'too-large')) return undefined;
  const good = reply.kind === 'http' && reply.status >= 200 && reply.status <= 299;
  return good ? undefined : { status: reply.status };
}

async function attempt<R>(make: () => Promise<R>): Promise<R | Failure> {
  try {
    return await make();
  } catch (cause) {
    return { kind: 'lost', why: 'connection', cause };
  }
}
