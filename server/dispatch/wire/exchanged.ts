import type { IncomingHttpHeaders } from 'node:http';
import type { SignAtSend } from '../signing/sign.ts';
import type { Reply } from '../transport.ts';

/** One HTTP request, whatever its version. */
export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** More headers, made when a connection is there; undefined for none. */
  readonly sign: SignAtSend | undefined;
  /** More than this is cut off. */
  readonly maxResponseBytes: number;
}

/** A whole answer over HTTP. */
export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly trailers: IncomingHttpHeaders;
}

/** What one HTTP request came to. */
export type Exchanged = HttpAnswer | Extract<Reply, { kind: 'unsent' | 'lost' | 'too-large' }>;

/** The answer for the policy, when there is nothing in it but HTTP. */
export function httpReply({ status, headers, body }: HttpAnswer): Extract<Reply, { kind: 'http' }> {
  const after = headers['retry-after'];
  const seconds = after !== undefined && /^\d{1,6}$/.test(after) ? Number(after) : undefined;
  return { kind: 'http', status, body, retryAfterSeconds: seconds };
}
