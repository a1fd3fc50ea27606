import type { Failure } from './transport.ts';

/**
 * Where the trouble of calls goes. An error is handed over as it is, as `err`: the log tells of it what is known to be harmless
 * (it may carry what was received).
 */
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
  const why = 'why' in reply ? { why: reply.why } : {};
  return reply.cause instanceof Error ? { ...why, err: reply.cause } : { ...why, cause: reply.cause };
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
