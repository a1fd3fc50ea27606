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
  const trouble = troubleIn(reply);
  if (trouble !== undefined) log?.warn({ ...facts, outcome: reply.kind, ...trouble }, 'a call of an endpoint failed');
  return reply;
}

/** What an operator needs to see of a failed attempt, and nobody else may; undefined when it did not fail. */
function troubleIn(reply: { readonly kind: string } | Failure): object | undefined {
  if (!isFailure(reply)) return undefined;
  switch (reply.kind) {
    case 'unsent':
    case 'lost':
      return { why: reply.why, ...told(reply.cause) };
    case 'unreadable':
      return told(reply.cause);
    case 'too-large':
      return { status: reply.status };
    case 'status':
      return { status: reply.code, said: reply.message.slice(0, loggedCharacters) };
    case 'http':
      if (reply.status >= 200 && reply.status <= 299) return undefined;
      return { status: reply.status, said: Buffer.from(reply.body).toString().slice(0, loggedCharacters) };
  }
}

const failures: ReadonlySet<string> = new Set(['unsent', 'lost', 'unreadable', 'too-large', 'status', 'http']);

function isFailure(reply: { readonly kind: string }): reply is Failure {
  return failures.has(reply.kind);
}

function told(cause: unknown): object {
  return cause === undefined ? {} : { cause: causeOf(cause) };
}

/** Of what an endpoint said beside a failure. */
const loggedCharacters = 1_000;

async function attempt<R>(make: () => Promise<R>): Promise<R | Failure> {
  try {
    return await make();
  } catch (cause) {
    return { kind: 'lost', why: 'connection', cause };
  }
}
