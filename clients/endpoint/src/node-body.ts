import type { IncomingMessage } from 'node:http';
import type { RequestBody } from './request-body.ts';
import type { HeaderOf } from './signature.ts';

/** For whoever put something in front. */
export const parsedAway: string =
  'The body was read and parsed before the endpoint got it, and what is signed are its bytes. Put the endpoint before ' +
  '`express.json()` and its like, or have the bytes kept: `express.raw({ type: "*/*" })` on its path.';

/** Rejects when the caller breaks off. */
export async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  const kept = keptBytes(request);
  if (kept !== undefined) return kept.length > maxBytes ? { kind: 'too-large' } : { kind: 'bytes', bytes: kept };
  if (request.readableDidRead || request.readableEnded) return { kind: 'parsed-away' };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Read to its end all the same: cut off in the middle, the caller would never see the answer.
    if (size <= maxBytes) chunks.push(bytes);
  }
  return size <= maxBytes ? { kind: 'bytes', bytes: Buffer.concat(chunks) } : { kind: 'too-large' };
}

/** `rawBody`, as some platforms have it, or what `express.raw` and `express.text` leave. */
function keptBytes(request: object): Uint8Array | undefined {
  const kept = ['rawBody' in request ? request.rawBody : undefined, 'body' in request ? request.body : undefined].find(
    (body) => body instanceof Uint8Array,
  );
  return kept;
}

export function headerOf({ headers }: IncomingMessage): HeaderOf {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}
