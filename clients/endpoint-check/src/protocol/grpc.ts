/** gRPC, unary, over HTTP/2. */
import { http2 } from '../wire/http2.ts';
import { garbage } from './connect.ts';
import { statusSaid } from './http-status.ts';
import { messageSaid, requestBytes, service } from './proto-message.ts';
import type { Message, Protocol } from './protocol.ts';
import { codes, rpcStatusSaid } from './rpc-status.ts';

export const grpc: Protocol = {
  exchange: http2,

  message: (call) => post(call.mode === 'probe' ? 'Probe' : 'Invoke', requestBytes(call), call.requestId),

  answer({ status, fields, body }, asked) {
    const text = body.toString('utf8');
    if (status !== 200) return { ...statusSaid(status, text), status: `HTTP ${status}`, text, bytes: body.length };
    const code = codes[Number(fields['grpc-status'] ?? -1)];
    if (code === undefined) {
      return { kind: 'unreadable', why: 'there is no grpc-status', status: 'HTTP 200', text, bytes: body.length };
    }
    if (code !== 'OK') {
      const message = decoded(fields['grpc-message'] ?? '');
      const details = fields['grpc-status-details-bin'] !== undefined;
      return {
        ...rpcStatusSaid(code, message, details),
        ...{ status: `gRPC ${code}`, text: message, bytes: Buffer.byteLength(message) },
      };
    }
    const { said, text: told } = messageSaid(body.subarray(5), asked);
    return { ...said, status: 'gRPC OK', text: told, bytes: Buffer.byteLength(told) };
  },

  malformed(sample) {
    const key = sample.requestId;
    const unknownTool = requestBytes({ ...sample, tool: 'tether_check_no_such_tool' });
    return [
      { what: 'bytes that are no message', message: post('Invoke', garbage, key), mayFail: true },
      { what: 'a message with nothing in it', message: post('Invoke', new Uint8Array(), key) },
      { what: 'a call of a tool that there is not', message: post('Invoke', unknownTool, key) },
      { what: 'arguments that are no JSON', message: post('Invoke', requestBytes({ ...sample, args: '{"a":' }), key) },
      { what: 'a method that there is not', message: post('NoSuchMethod', garbage, key) },
    ];
  },
};

function post(method: string, bytes: Uint8Array, key: string): Message {
  const headers = {
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'x-tether-idempotency-key': key,
  };
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(bytes.length, 1);
  return {
    ...{ method: 'POST', path: `${service}/${method}`, headers, payload: bytes },
    body: Buffer.concat([frame, bytes]),
  };
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
