import type { IncomingMessage, ServerResponse } from 'node:http';
import { cors } from '@connectrpc/connect';
import { keyHeader } from '../json/read-request.ts';
import { requestIdHeader } from '../request-id.ts';

/** What a page may send: what Connect, gRPC-Web and the JSON door understand, its place in a trace, and nothing else. */
const sent = [...cors.allowedHeaders, 'Authorization', keyHeader, requestIdHeader, 'traceparent', 'tracestate'];
/** What a page may read, beside what every page may. */
const shown = [...cors.exposedHeaders, requestIdHeader, 'Retry-After', 'WWW-Authenticate'];

/** Seconds that a browser may remember a preflight; none remembers it longer than two hours. */
const rememberedFor = 7200;

/**
 * Lets pages of these origins call, by CORS; pages of others are told nothing, so their browsers keep the answers from them. A
 * preflight of a declared origin is answered here, and with it the request; anything else goes its way. Nobody's authority rests on
 * this: a browser adds no credential by itself, since there are no cookies. A client certificate it shows only where credentials are
 * allowed, so they are where one is asked for.
 */
export function letInOrigins(
  origins: readonly string[],
  { withCertificates }: { readonly withCertificates: boolean },
): (request: IncomingMessage, response: ServerResponse) => 'answered' | 'goes on' {
  const declared = new Set(origins);
  return ({ method, headers }, response) => {
    if (declared.size === 0) return 'goes on';
    response.setHeader('vary', 'Origin');
    if (headers.origin === undefined || !declared.has(headers.origin)) return 'goes on';
    response.setHeader('access-control-allow-origin', headers.origin);
    if (withCertificates) response.setHeader('access-control-allow-credentials', 'true');
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      response.setHeader('access-control-expose-headers', shown.join(', '));
      return 'goes on';
    }
    response
      .writeHead(204, {
        'access-control-allow-methods': cors.allowedMethods.join(', '),
        'access-control-allow-headers': sent.join(', '),
        'access-control-max-age': String(rememberedFor),
      })
      .end();
    return 'answered';
  };
}
