import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Code } from '@connectrpc/connect';
import { invalidRequest, tooSlow } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import { commonHeaders } from './common-headers.ts';
import { plainRefusal } from './plain-refusal.ts';

/** Answers what is no HTTP/1.1 request at all, and closes the connection. To a handshake that failed there is no answer. */
export function answerBrokenRequest(limits: DoorLimits): (error: Error & { code?: string }, socket: Duplex) => void {
  const { headerBytes, headersMs } = limits.http;
  const late = `${tooSlow(limits).detail.message} Its headers have ${headersMs / 1000}.`;
  const known: Readonly<Record<string, readonly [status: number, message: string]>> = {
    HPE_HEADER_OVERFLOW: [431, `The headers are too large: they may have ${headerBytes} bytes in all.`],
    ERR_HTTP_REQUEST_TIMEOUT: [408, late],
  };
  return (error, socket) => {
    const inHandshake = 'secureConnecting' in socket && socket.secureConnecting === true;
    if (error.code === 'ECONNRESET' || !socket.writable || inHandshake) {
      socket.destroy();
      return;
    }
    const [status, message] = known[error.code ?? ''] ?? [
      400,
      'This is no HTTP/1.1 request. (gRPC has a port of its own.)',
    ];
    const body = plainRefusal(Code.InvalidArgument, invalidRequest({ message }));
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        ...[...commonHeaders].map(([name, value]) => `${name}: ${value}`),
        '',
        body,
      ].join('\r\n'),
    );
  };
}
