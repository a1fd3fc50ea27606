import type { EndpointSettings } from '../../domain/endpoint.ts';
import { type Signed, signAtSend } from '../signing/sign.ts';
import type { Bounds, Failure } from '../transport.ts';
import { byOrigin } from '../wire/by-origin.ts';
import { type HttpAnswer, httpReply } from '../wire/exchanged.ts';
import { createHttp1Connections } from '../wire/http1-connections.ts';
import { exchangeHttp1 } from '../wire/http1-exchange.ts';
import { metadataOf } from './call-metadata.ts';

export interface Post extends Signed {
  readonly body: string;
  /** `X-Tether-Idempotency-Key`; undefined for a call without one. */
  readonly key?: string;
  readonly maxResponseBytes: number;
}

/** Sends JSON by POST to the url of the settings, over HTTP/1.1, signed if there are secrets; once, and following nothing. */
export interface JsonPost {
  post(post: Post, settings: EndpointSettings, bounds: Bounds): Promise<Failure>;
  /** Drops all connections. */
  close(): Promise<void>;
}

/** `monotonic`: for the age of connections; `wall`: for signatures; both milliseconds. */
export function createJsonPost(monotonic: () => number, wall: () => number): JsonPost {
  const origins = byOrigin((origin, tls) => createHttp1Connections(origin, tls, monotonic));
  return {
    async post({ id, body, key, maxResponseBytes }, settings, bounds) {
      const { connections, url } = origins.of(settings);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        ...metadataOf(key, settings, bounds.carried),
      };
      const sign = signAtSend(settings, { id, body }, wall);
      const request = { path: url.pathname + url.search, headers, body, sign, maxResponseBytes };
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
