import type { IncomingHttpHeaders } from 'node:http';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import {
  findTrailerError,
  headerGrpcMessage,
  headerGrpcStatus,
  headerStatusDetailsBin,
  parseContentType,
  requestHeader,
} from '@connectrpc/connect/protocol-grpc';
import { signAtSend } from '../signing/sign.ts';
import { type Failure, framingBytes } from '../transport.ts';
import { byOrigin } from '../wire/by-origin.ts';
import { type HttpAnswer, httpReply } from '../wire/exchanged.ts';
import { exchangeHttp2 } from '../wire/http2-exchange.ts';
import { createHttp2Sessions } from '../wire/http2-sessions.ts';
import { metadataOf } from './call-metadata.ts';
import { statusReply } from './proto-error.ts';
import type { Answered, ProtoWire } from './unary.ts';

/**
 * gRPC, unary. As with Connect, the protocol's parts are the library's and the wire is ours: a stock client reconnects and
 * resends as it sees fit, and its INTERNAL or RESOURCE_EXHAUSTED does not say whether the handler sent it.
 */
export function createGrpcWire(monotonic: () => number, wall: () => number): ProtoWire {
  const origins = byOrigin((origin, tls) => createHttp2Sessions(origin, tls, monotonic));
  return {
    async send({ path, message, id, key }, settings, bounds) {
      const { connections, url } = origins.of(settings);
      const header = requestHeader(true, Math.ceil(bounds.timeoutMs), metadataOf(key, settings, bounds.carried));
      const request = {
        path: url.pathname.replace(/\/+$/, '') + path,
        headers: Object.fromEntries(header),
        body: encodeEnvelope(0, message),
        sign: signAtSend(settings, { id, body: message }, wall),
        maxResponseBytes: settings.maxResponseBytes + framingBytes,
      };
      const exchanged = await exchangeHttp2(connections, url, request, bounds);
      return exchanged.kind === 'answered' ? replyOf(exchanged) : exchanged;
    },
    close: origins.close,
  };
}

function replyOf(answer: HttpAnswer): Failure | Answered {
  if (answer.status !== 200) return httpReply(answer);
  const type = answer.headers['content-type'] ?? null;
  if (parseContentType(type)?.binary !== true) return { kind: 'unreadable', cause: 'another content type' };
  // A response without a message may carry its status in the only headers it has.
  const status = statusFields(answer.trailers) ?? statusFields(answer.headers);
  if (status === undefined) return { kind: 'unreadable', cause: 'no grpc-status' };
  if (status.get(headerGrpcStatus) !== '0') return failure(status);
  const message = onlyMessage(answer.body);
  return message === undefined ? { kind: 'unreadable', cause: 'no message' } : { kind: 'message', bytes: message };
}

function failure(status: Headers): Failure {
  try {
    const error = findTrailerError(status);
    // Two words about one failure must agree to be believed.
    if (error !== undefined && status.get(headerGrpcStatus) === String(error.code)) return statusReply(error);
    return { kind: 'unreadable', cause: 'a status that contradicts its details' };
  } catch (cause) {
    return { kind: 'unreadable', cause };
  }
}

/** The fields in which a server says how the call went; undefined when it says nothing of the kind. */
function statusFields(fields: IncomingHttpHeaders): Headers | undefined {
  const status = new Headers();
  for (const name of [headerGrpcStatus, headerGrpcMessage, headerStatusDetailsBin]) {
    const value = fields[name.toLowerCase()];
    if (typeof value === 'string') status.set(name, value);
  }
  return status.has(headerGrpcStatus) ? status : undefined;
}

/** The one message of a unary answer, uncompressed: we ask for no compression. */
function onlyMessage(body: Uint8Array): Uint8Array | undefined {
  if (body.length < 5 || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.length === 5 + length ? body.subarray(5) : undefined;
}
