import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import type { Bounds } from '../transport.ts';
import { timeIsUp } from '../transport.ts';
import type { Exchanged, HttpRequest } from './exchanged.ts';
import type { Http2Session, Http2Sessions } from './http2-sessions.ts';

/**
 * One POST over HTTP/2. A stream that the peer refuses (REFUSED_STREAM, or beyond the last stream of its GOAWAY) was not
 * processed at all, by the word of the protocol (RFC 9113 §8.7): that counts as not sent.
 */
export async function exchangeHttp2(
  sessions: Http2Sessions,
  origin: URL,
  request: HttpRequest,
  { signal, maySend }: Bounds,
): Promise<Exchanged> {
  let session: Http2Session;
  try {
    session = await sessions.take(signal);
  } catch (cause) {
    if (signal.aborted && signal.reason !== timeIsUp) return { kind: 'unsent', why: 'aborted' };
    return { kind: 'unsent', why: 'unreachable', cause };
  }
  if (!maySend()) {
    session.release(false);
    return { kind: 'unsent', why: 'too-late' };
  }

  let stream: ClientHttp2Stream;
  try {
    stream = session.http2.request(
      {
        ':method': 'POST',
        ':scheme': origin.protocol.slice(0, -1),
        ':authority': origin.host,
        ':path': request.path,
        ...request.headers,
        ...request.sign?.(),
      },
      { endStream: false },
    );
  } catch (cause) {
    session.release(false);
    return { kind: 'unsent', why: 'unreachable', cause };
  }

  return new Promise((resolve) => {
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let received = 0;
    let cause: unknown;

    const settle = (exchanged: Exchanged) => {
      signal.removeEventListener('abort', stop);
      session.release(exchanged.kind === 'answered');
      resolve(exchanged);
    };
    const stop = () => {
      settle({ kind: 'lost', why: signal.reason === timeIsUp ? 'timeout' : 'aborted' });
      stream.close(constants.NGHTTP2_CANCEL);
    };

    signal.addEventListener('abort', stop, { once: true });
    stream.on('response', (fields: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
      status = fields[':status'] ?? 0;
      headers = fields;
    });
    stream.on('trailers', (fields: IncomingHttpHeaders) => {
      trailers = fields;
    });
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > request.maxResponseBytes) {
        settle({ kind: 'too-large', status });
        stream.close(constants.NGHTTP2_CANCEL);
        return;
      }
      chunks.push(chunk);
    });
    let whole = false;
    stream.on('end', () => {
      whole = stream.rstCode === constants.NGHTTP2_NO_ERROR && status !== 0;
      // Not at once: Node may tell of the end before it tells of the trailers that came with it.
      if (whole)
        setImmediate(() => settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks), trailers }));
    });
    stream.on('error', (error) => {
      cause = error;
    });
    stream.on('close', () => {
      if (whole) return;
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) settle({ kind: 'unsent', why: 'unreachable', cause });
      else settle({ kind: 'lost', why: 'connection', cause });
    });
    stream.end(request.body);
  });
}
