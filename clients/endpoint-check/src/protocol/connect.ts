/** Connect, unary, over HTTP/1.1. */
import { http1 } from '../wire/http1.ts';
import { statusSaid } from './http-status.ts';
import { parsed } from './json-answer.ts';
import { messageSaid, requestBytes, service } from './proto-message.ts';
import type { Message, Protocol } from './protocol.ts';
import { codes, rpcStatusSaid } from './rpc-status.ts';

export const connect: Protocol = {
  exchange: http1,

  message: (call) => post(call.mode === 'probe' ? 'Probe' : 'Invoke', requestBytes(call), call.requestId),

  answer({ status, fields, body }, asked) {
    const type = fields['content-type'] ?? '';
    if (status === 200 && type.startsWith('application/proto')) {
      const { said, text } = messageSaid(body, asked);
      return { ...said, status: 'Connect OK', text, bytes: Buffer.byteLength(text) };
    }
    const text = body.toString('utf8');
    const told = { text, bytes: body.length };
    const { code, message, details } = errorIn(text);
    if (status !== 200 && type.startsWith('application/json') && codes.includes(code)) {
      return { ...rpcStatusSaid(code, message, details), ...told, status: `Connect ${code} (HTTP ${status})` };
    }
    const why = `HTTP 200 with \`${type || 'no content-type'}\` is no answer of Connect's`;
    const said = status === 200 ? ({ kind: 'unreadable', why } as const) : statusSaid(status, text);
    return { ...said, ...told, status: `HTTP ${status}` };
  },

  malformed(sample) {
    const key = sample.requestId;
    const whole = post('Invoke', requestBytes(sample), key);
    const unknownTool = requestBytes({ ...sample, tool: 'tether_check_no_such_tool' });
    return [
      { what: 'bytes that are no message', message: post('Invoke', garbage, key), mayFail: true },
      { what: 'a message with nothing in it', message: post('Invoke', new Uint8Array(), key) },
      { what: 'a call of a tool that there is not', message: post('Invoke', unknownTool, key) },
      { what: 'arguments that are no JSON', message: post('Invoke', requestBytes({ ...sample, args: '{"a":' }), key) },
      { what: 'a method that there is not', message: post('NoSuchMethod', whole.payload, key), mayFail: true },
      {
        what: 'a content-type that there is not',
        message: { ...post('Invoke', garbage, key), headers: { 'content-type': 'text/plain' } },
      },
      {
        what: 'a GET',
        message: { ...post('Invoke', new Uint8Array(), key), method: 'GET', headers: {} },
        mayAnswer: true,
      },
    ];
  },
};

export const garbage: Uint8Array = Uint8Array.from([0xff, 0xff, 0xff, 0x07, 0x2a]);

function post(method: string, bytes: Uint8Array, key: string): Message {
  const headers = {
    'content-type': 'application/proto',
    'connect-protocol-version': '1',
    'x-tether-idempotency-key': key,
  };
  return { method: 'POST', path: `${service}/${method}`, headers, payload: bytes, body: bytes };
}

function errorIn(text: string): { code: string; message: string; details: boolean } {
  const value = parsed(text)?.value;
  const { code = '', message = '', details = [] } = typeof value === 'object' && value !== null ? { ...value } : {};
  // Connect spells one of them its own way.
  const name = String(code)
    .toUpperCase()
    .replace(/^CANCELED$/, 'CANCELLED');
  return { code: name, message: String(message), details: Array.isArray(details) && details.length > 0 };
}
