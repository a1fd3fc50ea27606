import type { IncomingMessage } from 'node:http';
import { invalidRequest, tooLarge } from '../invalid-request.ts';
import type { Caller } from './caller.ts';
import { Refused } from './refused.ts';

/**
 * The body of a request as text. Throws what it is refused with: 413 beyond `limitBytes`, of which no more is held; 415 for
 * another content type or a compression; 400 for what is no UTF-8. A request without a body needs no content type.
 */
export async function readBody(request: IncomingMessage, limitBytes: number, caller: Caller): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw new Refused(413, tooLarge(limitBytes, declared));
  checkEncoding(request.headers['content-encoding']);
  const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
  if (hasBody) checkType(request.headers['content-type'] ?? '');
  return decode(await bytesOf(request, limitBytes, caller));
}

async function bytesOf(request: IncomingMessage, limitBytes: number, caller: Caller): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('a body is read as bytes');
      bytes += chunk.byteLength;
      if (bytes > limitBytes) throw new Refused(413, tooLarge(limitBytes));
      chunks.push(chunk);
    }
  } catch (thrown) {
    // What is left of a body that is too large is read and not kept: so the caller hears the answer, and the connection is free.
    request.resume();
    if (thrown instanceof Refused || !request.errored) throw thrown;
    caller.leave();
    throw caller.signal.reason;
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused(400, invalidRequest({ message: 'The body is not UTF-8.' }));
  }
}

const jsonType = /^application\/json *(; *charset=("utf-8"|utf-8) *)?$/i;

function checkType(type: string): void {
  if (jsonType.test(type.trim())) return;
  const error = invalidRequest({
    message: 'The content-type must be application/json (in UTF-8).',
    field: 'content-type',
    receivedJson: JSON.stringify(type),
    acceptedJson: ['"application/json"'],
  });
  throw new Refused(415, error);
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return;
  const error = invalidRequest({
    message: 'A body must come as it is, without a content-encoding.',
    field: 'content-encoding',
    receivedJson: JSON.stringify(encoding),
    acceptedJson: ['"identity"'],
  });
  throw new Refused(415, error);
}
