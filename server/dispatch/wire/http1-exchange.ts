import type { IncomingHttpHeaders } from 'node:http';
import type { Bounds } from '../transport.ts';
import { timeIsUp } from '../transport.ts';
import type { Exchanged, HttpRequest } from './exchanged.ts';
import type { Http1Connections } from './http1-connections.ts';

/**
 * One POST over HTTP/1.1. "Was anything sent?" is not guessed from error codes: undici announces a request right before
 * it writes its first byte, on a connection that is up, and that is where `maySend` is asked.
 */
export async function exchangeHttp1(
  connections: Http1Connections,
  request: HttpRequest,
  { signal, maySend }: Bounds,
): Promise<Exchanged> {
  const opened = await connections.take(signal).then(
    (connection) => ({ connection }),
    (cause: unknown) => ({ cause }),
  );
  if ('cause' in opened) return unsent(signal, opened.cause);
  const { connection } = opened;

  return new Promise((resolve) => {
    let sent = false;
    let abort: (reason: Error) => void = () => void connection.client.destroy();
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let received = 0;

    const stop = () => {
      settle(sent ? lost(signal) : unsent(signal, undefined));
      abort(stopped);
    };
    const settle = (exchanged: Exchanged) => {
      signal.removeEventListener('abort', stop);
      resolve(exchanged);
    };
    signal.addEventListener('abort', stop, { once: true });

    const handler = {
      onRequestStart(controller: { abort(reason: Error): void }) {
        abort = (reason) => controller.abort(reason);
        if (signal.aborted) {
          abort(stopped);
        } else if (maySend()) {
          sent = true;
        } else {
          settle({ kind: 'unsent', why: 'too-late' });
          abort(stopped);
        }
      },
      onResponseStart(_: unknown, code: number, fields: IncomingHttpHeaders) {
        status = code;
        headers = fields;
      },
      onResponseData(_: unknown, chunk: Buffer) {
        received += chunk.length;
        if (received > request.maxResponseBytes) {
          settle({ kind: 'too-large', status });
          abort(stopped);
          return;
        }
        chunks.push(chunk);
      },
      onResponseEnd(_: unknown, trailers: IncomingHttpHeaders) {
        connections.giveBack(connection);
        const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
        settle({ kind: 'answered', status, headers, body, trailers });
      },
      onResponseError(_: unknown, cause: unknown) {
        void connection.client.destroy();
        settle(sent ? { kind: 'lost', why: 'connection', cause } : unsent(signal, cause));
      },
    };
    const { path, body } = request;
    try {
      connection.client.dispatch({ method: 'POST', path, headers: { ...request.headers }, body }, handler);
    } catch (cause) {
      handler.onResponseError(undefined, cause);
    }
  });
}

const stopped = new Error('stopped by the dispatcher');

function unsent(signal: AbortSignal, cause: unknown): Exchanged {
  if (signal.aborted && signal.reason !== timeIsUp) return { kind: 'unsent', why: 'aborted' };
  return { kind: 'unsent', why: 'unreachable', cause };
}

function lost(signal: AbortSignal): Exchanged {
  return { kind: 'lost', why: signal.reason === timeIsUp ? 'timeout' : 'aborted' };
}
