/**
 * An error as it may stand in a log. Messages of libraries repeat what they were given: PostgreSQL quotes a value that it cannot
 * read, JSON.parse the text, Node an argument; and errors carry more in their fields. So nothing of an error is told but what is
 * listed here, a message only of kinds that are known to speak of the machine and not of the data, and of these nothing that
 * stands in quotes.
 */
export interface SafeError {
  readonly type: string;
  readonly message?: string;
  /** Where it was thrown, innermost first. */
  readonly at?: readonly string[];
  readonly cause?: SafeError;
  readonly errors?: readonly SafeError[];
  readonly [fact: string]: unknown;
}

/** How deep causes of causes are told, and how many of several. */
const deepest = 5;
const mostFrames = 12;
const longestMessage = 300;

/** Fields that name things of ours or of the machine: SQLSTATE and constraint of PostgreSQL, errno and address of a socket. */
const facts = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'severity',
  'schema',
  'table',
  'constraint',
  'routine',
] as const;

export function safeError(thrown: unknown): SafeError {
  return told(thrown, 0);
}

function told(thrown: unknown, depth: number): SafeError {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const below = depth < deepest;
  return {
    type: typeName(thrown),
    ...factsOf(thrown),
    ...optional('message', messageOf(thrown)),
    ...optional('at', framesOf(thrown)),
    ...(below && thrown.cause !== undefined ? { cause: told(thrown.cause, depth + 1) } : {}),
    ...(below && thrown instanceof AggregateError
      ? { errors: thrown.errors.slice(0, deepest).map((each) => told(each, depth + 1)) }
      : {}),
  };
}

/** A class's own name: `name` can be anything that somebody set. */
function typeName(error: Error): string {
  const { name } = error.constructor;
  return /^\w{1,60}$/.test(name) ? name : 'Error';
}

function factsOf(error: Error): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const name of facts) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'number' || (typeof value === 'string' && /^[\w.:/@-]{1,100}$/.test(value)))
      found[name] = value;
  }
  return found;
}

/** Errors of the language that speak of the program. A SyntaxError is none of them: it quotes what it could not read. */
const plain = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'AggregateError', 'StoreUnavailable']);

/** Codes of the system, of Node and of undici whose words are fixed, or speak of peers. */
const wordsOfTheMachine =
  /^(E(?!RR_)[A-Z]+|EAI_\w+|UND_ERR_\w+|HPE_\w+|ERR_(TLS|SSL|HTTP2|SOCKET|STREAM)_\w+|\w*(CERT|SIGNATURE)\w*)$/;

/** SQLSTATE classes that speak of the server, of rights and of objects; not of values (22), nor of rows (23). */
const wordsOfTheDatabase = /^(08|25|28|3D|40|42|53|55|57|58|XX)[0-9A-Z]{3}$/;

function messageOf(error: Error): string | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message: unknown };
  if (typeof message !== 'string') return undefined;
  const speaks =
    typeof code === 'string'
      ? wordsOfTheMachine.test(code) || wordsOfTheDatabase.test(code)
      : plain.has(typeName(error)) && plain.has(error.name);
  return speaks ? withoutQuotes(message).slice(0, longestMessage) : undefined;
}

/** An apostrophe within a word is no quote; what a quote opens and nothing closes goes to the end. */
function withoutQuotes(text: string): string {
  return text.replace(/"[^"]*("|$)|`[^`]*(`|$)|(?<!\w)'[^']*('|$)/g, '…');
}

/** Only lines that can be nothing else: a message may have lines of its own. */
const frame = /^ {4}at (?:[\w.$<>[\] #]+ )?\(?(?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+\)?$/;

function framesOf({
  stack,
  message,
}: {
  readonly stack?: unknown;
  readonly message: unknown;
}): readonly string[] | undefined {
  if (typeof stack !== 'string') return undefined;
  const words = String(message);
  const said = stack.indexOf(words);
  const lines = stack.slice(said === -1 ? 0 : said + words.length).split('\n');
  return lines.flatMap((line) => (frame.test(line) ? [line.slice(7)] : [])).slice(0, mostFrames);
}

function optional<T>(name: string, value: T | undefined): Record<string, T> {
  return value === undefined ? {} : { [name]: value };
}
