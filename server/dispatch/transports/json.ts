import type { EndpointSettings } from '../../domain/endpoint.ts';
import { authorizeJson } from '../authorize-json.ts';
import { envelope, probeEnvelope } from '../envelope.ts';
import { callId, petitionId, probeId } from '../signing/message-id.ts';
import { type Signed, signAtSend } from '../signing/sign.ts';
import { type Bounds, type Failure, framingBytes, type Transport } from '../transport.ts';
import { byOrigin } from '../wire/by-origin.ts';
import { type HttpAnswer, httpReply } from '../wire/exchanged.ts';
import { createHttp1Connections } from '../wire/http1-connections.ts';
import { exchangeHttp1 } from '../wire/http1-exchange.ts';
import { metadataOf } from './call-metadata.ts';

interface Post extends Signed {
  readonly body: string;
  /** `X-Tether-Idempotency-Key`; undefined for a call without one. */
  readonly key?: string;
  readonly maxResponseBytes: number;
}

/** Plain JSON over HTTP/1.1: one POST to the url as it is declared. */
export function createJsonTransport(monotonic: () => number, wall: () => number): Transport {
  const origins = byOrigin((origin, tls) => createHttp1Connections(origin, tls, monotonic));

  async function post(
    { id, body, key, maxResponseBytes }: Post,
    settings: EndpointSettings,
    bounds: Bounds,
  ): Promise<Failure> {
    const { connections, url } = origins.of(settings);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...metadataOf(key, settings),
    };
    const sign = signAtSend(settings, { id, body }, wall);
    const request = { path: url.pathname + url.search, headers, body, sign, maxResponseBytes };
    const exchanged = await exchangeHttp1(connections, request, bounds);
    if (exchanged.kind !== 'answered') return exchanged;
    return maybeCut(exchanged) ? { kind: 'lost', why: 'connection' } : httpReply(exchanged);
  }

  return {
    invoke(outgoing, settings, bounds) {
      const { maxResponseBytes } = settings;
      const { requestId: key } = outgoing;
      return post({ id: () => callId(outgoing), body: envelope(outgoing), key, maxResponseBytes }, settings, bounds);
    },
    probe(question, settings, bounds) {
      const maxResponseBytes = settings.maxResponseBytes + framingBytes;
      const { requestId: key } = question;
      return post(
        { id: () => probeId(question), body: probeEnvelope(question), key, maxResponseBytes },
        settings,
        bounds,
      );
    },
    authorize(petition, settings, bounds) {
      const { maxResponseBytes } = settings;
      return post(
        { id: () => petitionId(petition), body: authorizeJson(petition), maxResponseBytes },
        settings,
        bounds,
      );
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
