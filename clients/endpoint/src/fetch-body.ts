import type { RequestBody } from './request-body.ts';

/** The bytes of a request that was not read yet. */
export async function fetchBody(request: Request, maxBytes: number): Promise<RequestBody> {
  if (request.bodyUsed) return { kind: 'parsed-away' };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    // Read to its end all the same: cut off in the middle, the caller would never see the answer.
    if (size <= maxBytes) chunks.push(chunk);
  }
  if (size > maxBytes) return { kind: 'too-large' };
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { kind: 'bytes', bytes };
}
