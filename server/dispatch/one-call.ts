import { causeOf } from './cause.ts';
import type { Failure } from './transport.ts';

/** Where the words of drivers and networks go, under the request's id; a pino logger is one. */
export interface DispatchLog {
  warn(fields: object, message: string): void;
}

/** One call over a transport, its trouble logged. A fault of ours in there leaves as much doubt as one of the wire. */
export async function oneCall<R extends { readonly kind: string }>(
  make: () => Promise<R>,
  log: DispatchLog | undefined,
  facts: object,
): Promise<R | Failure> {
  const reply = await attempt(make);
  if ('cause' in reply && reply.cause !== undefined) {
    log?.warn({ ...facts, outcome: reply.kind, cause: causeOf(reply.cause) }, 'a call of an endpoint failed');
  }
  return reply;
}

async function attempt<R>(make: () => Promise<R>): Promise<R | Failure> {
  try {
    return await make();
  } catch (cause) {
    return { kind: 'lost', why: 'connection', cause };
  }
}
