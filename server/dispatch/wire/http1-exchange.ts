import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Bounds } from '../transport.ts';
import { timeIsUp } from '../transport.ts';
import type { Exchanged, HttpRequest } from './exchanged.ts';
import type { Http1Connection, Http1Connections } from './http1-connections.ts';

/**
 * One POST over HTTP/1.1. "Was anything sent?" is not guessed from error codes: undici announces a request right before
 * it writes its first byte, on a connection that is up, and that is where `maySend` is asked. A used connection that turns
 * out to be gone before that is replaced: nothing was sent on it, and nothing was asked.
 */
export async function exchangeHttp1(
  connections: Http1Connections,
  request: HttpRequest,
  bounds: Bounds,
): Promise<Exchanged> {
  for (;;) {
    let connection: Http1Connection;
    try {
      connection = await connections.take(bounds.signal);
    } catch (cause) {
      return unsent(bounds.signal, cause);
    }
    const fresh = connection.answeredAt === undefined;
    const exchanged = await exchangeOn(connection, connections, request, bounds);
    if (exchanged.kind !== 'gone') return exchanged;
    if (fresh || bounds.signal.aborted) return unsent(bounds.signal, exchanged.cause);
  }
}

/** The connection was no good any more when the request was about to begin. */
interface Gone {
  readonly kind: 'gone';
  readonly cause: unknown;
}

function exchangeOn(
  connection: Http1Connection,
  connections: Http1Connections,
  request: HttpRequest,
  { signal, maySend }: Bounds,
): Promise<Exchanged | Gone> {
  return new Promise((resolve) => {
    let sent = false;
    let abort: () => void = () => void connection.client.destroy();
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let received = 0;

    const settle = (exchanged: Exchanged | Gone) => {
      signal.removeEventListener('abort', stop);
      resolve(exchanged);
    };
    const stop = () => {
      settle(sent ? lost(signal) : unsent(signal, undefined));
      abort();
    };
    signal.addEventListener('abort', stop, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        abort = () => controller.abort(stopped);
        if (signal.aborted) {
          abort();
        } else if (maySend()) {
          sent = true;
        } else {
          settle({ kind: 'unsent', why: 'too-late' });
          abort();
        }
      },
      onResponseStart(_, code, fields) {
        status = code;
        headers = fields;
      },
      onResponseData(_, chunk) {
        received += chunk.length;
        if (received > request.maxResponseBytes) {
          settle({ kind: 'too-large', status });
          abort();
          return;
        }
        chunks.push(chunk);
      },
      onResponseEnd(_, trailers) {
        connections.giveBack(connection);
        const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
        settle({ kind: 'answered', status, headers, body, trailers });
      },
      onResponseError(_, cause) {
        void connection.client.destroy();
        settle(sent ? { kind: 'lost', why: 'connection', cause } : { kind: 'gone', cause });
      },
    };
    const { path, body } = request;
    connection.client.dispatch(
      { method: 'POST', path, headers: { ...request.headers, ...request.sign?.() }, body },
      handler,
    );
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
