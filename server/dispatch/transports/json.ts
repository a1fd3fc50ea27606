import type { EndpointSettings } from '../../domain/endpoint.ts';
import { envelope } from '../envelope.ts';
import type { Outgoing, Transport } from '../transport.ts';
import { byOrigin } from '../wire/by-origin.ts';
import { type HttpAnswer, httpReply } from '../wire/exchanged.ts';
import { createHttp1Connections } from '../wire/http1-connections.ts';
import { exchangeHttp1 } from '../wire/http1-exchange.ts';

/** Plain JSON over HTTP/1.1: one POST of the envelope to the endpoint's url. */
export function createJsonTransport(monotonic: () => number): Transport {
  const origins = byOrigin((origin) => createHttp1Connections(origin, monotonic));
  return {
    async call(outgoing, settings, bounds) {
      const { connections, url } = origins.of(settings.url);
      const request = {
        path: url.pathname + url.search,
        headers: headersOf(outgoing, settings),
        body: envelope(outgoing),
        maxResponseBytes: settings.maxResponseBytes,
      };
      const exchanged = await exchangeHttp1(connections, request, bounds);
      if (exchanged.kind !== 'answered') return exchanged;
      return maybeCut(exchanged) ? { kind: 'lost', why: 'connection' } : httpReply(exchanged);
    },
    close: origins.close,
  };
}

/**
 * A body that ends with its connection says nothing of its length. JSON shows by itself whether it is whole, except for a
 * bare number: `12` may be all that came of `1200`.
 */
function maybeCut({ headers, body }: HttpAnswer): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return /^\s*-?\d/.test(Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 100)).toString('latin1'));
}

function headersOf({ requestId }: Outgoing, { bearerToken }: EndpointSettings): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-tether-idempotency-key': requestId,
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
  };
}
