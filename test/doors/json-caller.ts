import type { OpenDoors } from './open-doors.ts';

/** What a caller of the JSON door sees. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The body as JSON; null for one that is no single JSON value. */
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger's program sees, without types
  readonly body: any;
}

export interface JsonAsk {
  readonly as?: 'agent' | 'approver' | 'operator';
  readonly headers?: Readonly<Record<string, string>>;
  /** A text goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks as curl would: no client library, no more headers than are needed. */
export async function askJson(
  { httpAddress }: Pick<OpenDoors, 'httpAddress'>,
  verb: string,
  path: string,
  { as, headers, body, signal }: JsonAsk = {},
): Promise<JsonAnswer> {
  const response = await fetch(`${httpAddress}${path}`, {
    method: verb,
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer key-${as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
