/** One request and what came back, over a connection of its own: nothing is followed, nothing is sent a second time. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Bounds {
  readonly timeoutMs: number;
  /** The connection is cut as soon as the whole request has been sent. */
  readonly cut?: boolean;
}

export type Exchanged = HttpAnswer | { readonly kind: 'lost'; readonly why: string };

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  /** Lower-case names; of gRPC the trailers stand over the headers. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type Exchange = (request: HttpRequest, bounds: Bounds) => Promise<Exchanged>;

/** The most that is read of an answer, bytes: well above any cap, so that its size can be told. */
export const mostRead: number = 16 * 1024 * 1024;

export const cutWhy = 'the connection was cut on purpose';

/** What a failing socket says, in words that hold for a report. */
export function whyLost(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === '' ? 'the connection broke' : `the connection broke (${code})`;
}

export function fieldsOf(...all: readonly object[]): Record<string, string> {
  const entries = all.flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
