import { Code, ConnectError } from '@connectrpc/connect';
import {
  codeFromString,
  errorFromJsonBytes,
  parseContentType,
  requestHeader,
} from '@connectrpc/connect/protocol-connect';
import { signAtSend } from '../signing/sign.ts';
import { type Failure, framingBytes } from '../transport.ts';
import { byOrigin } from '../wire/by-origin.ts';
import { type HttpAnswer, httpReply } from '../wire/exchanged.ts';
import { createHttp1Connections } from '../wire/http1-connections.ts';
import { exchangeHttp1 } from '../wire/http1-exchange.ts';
import { metadataOf } from './call-metadata.ts';
import { statusReply } from './proto-error.ts';
import type { Answered, ProtoWire } from './unary.ts';

/**
 * Connect, unary, over HTTP/1.1. The protocol's parts are the library's; the wire is ours, because only there can it be
 * known whether anything was sent, and whether a status was sent by the handler or made up by a client.
 */
export function createConnectWire(monotonic: () => number, wall: () => number): ProtoWire {
  const origins = byOrigin((origin, tls) => createHttp1Connections(origin, tls, monotonic));
  return {
    async send({ path, message, id, key }, settings, bounds) {
      const { connections, url } = origins.of(settings);
      const header = requestHeader('unary', true, bounds.timeoutMs, metadataOf(key, settings, bounds.carried), true);
      const request = {
        path: url.pathname.replace(/\/+$/, '') + path,
        headers: Object.fromEntries(header),
        body: message,
        sign: signAtSend(settings, { id, body: message }, wall),
        maxResponseBytes: settings.maxResponseBytes + framingBytes,
      };
      const exchanged = await exchangeHttp1(connections, request, bounds);
      if (exchanged.kind === 'answered') return replyOf(exchanged);
      return exchanged.kind === 'too-large' && exchanged.status === cancelled ? { kind: 'unreadable' } : exchanged;
    },
    close: origins.close,
  };
}

function replyOf(answer: HttpAnswer): Failure | Answered {
  const type = parseContentType(answer.headers['content-type'] ?? null);
  if (answer.status === 200) {
    const readable = type?.binary === true && !type.stream && answer.headers['content-encoding'] === undefined;
    return readable ? { kind: 'message', bytes: answer.body } : { kind: 'unreadable', cause: 'another content type' };
  }
  const error = type !== undefined && !type.binary ? handlersError(answer) : undefined;
  if (error !== undefined) return statusReply(error);
  return answer.status === cancelled ? { kind: 'unreadable' } : httpReply(answer);
}

/** The HTTP status of Connect's `canceled`, which says nothing about the call even when its body cannot be read. */
const cancelled = 499;

/** The error that a Connect handler sent; undefined when the body is something else, a proxy's for one. */
function handlersError({ body }: HttpAnswer): ConnectError | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    const code = typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
    if (typeof code !== 'string' || codeFromString(code) === undefined) return undefined;
    return errorFromJsonBytes(body, undefined, new ConnectError('', Code.Unknown));
  } catch {
    return undefined;
  }
}
