/**
 * A gRPC client that does as little as can be done: one connection, one unary RPC with a few requests again and again, written and
 * read by hand. A stock client takes as much processor time for a call as the server does, and on a small machine the server would
 * be measured by what its client leaves over.
 */
import { connect, type Socket } from 'node:net';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frame = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const flag = { endStream: 1, ack: 1, endHeaders: 4 } as const;
const largestWindow = 2 ** 31 - 1;

/** Calls once with the request of that number; resolves with the message, rejects for any status but OK. */
export type LightCall = (request: number) => Promise<Buffer>;

interface Pending {
  readonly chunks: Buffer[];
  resolve(message: Buffer): void;
  reject(error: Error): void;
}

export async function lightGrpc(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  requests: readonly Uint8Array[],
): Promise<LightCall> {
  const [host = '', port = ''] = address.split(/:(?=\d+$)/);
  const socket = connect({ host, port: Number(port), noDelay: true });
  const pending = new Map<number, Pending>();
  const calls = requests.map((request) => template(path, address, headers, request));
  let stream = -1;
  let good: Buffer | undefined;
  let unacknowledged = 0;
  const failAll = (error: Error) => {
    for (const each of pending.values()) each.reject(error);
    pending.clear();
  };

  function ended(id: number, trailers: Buffer): void {
    const waiting = pending.get(id);
    if (waiting === undefined) return;
    pending.delete(id);
    // Without compression state the trailers of every OK are the same bytes. An answer without a message is an error.
    if (waiting.chunks.length > 0) good ??= Buffer.from(trailers);
    if (waiting.chunks.length === 0 || good === undefined || !trailers.equals(good))
      waiting.reject(new Error(`a call ended with another status than OK: ${trailers.toString('latin1')}`));
    else waiting.resolve(Buffer.concat(waiting.chunks).subarray(5));
  }

  function received(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === frame.data) {
      pending.get(id)?.chunks.push(payload);
      unacknowledged += payload.length;
      if (unacknowledged > 2 ** 29) {
        socket.write(windowUpdate(unacknowledged));
        unacknowledged = 0;
      }
    } else if (type === frame.headers && (flags & flag.endStream) !== 0) ended(id, payload);
    else if (type === frame.settings && (flags & flag.ack) === 0)
      socket.write(frameOf(frame.settings, flag.ack, 0, Buffer.alloc(0)));
    else if (type === frame.ping && (flags & flag.ack) === 0)
      socket.write(frameOf(frame.ping, flag.ack, 0, Buffer.from(payload)));
    else if (type === frame.reset) pending.get(id)?.reject(new Error(`a stream was reset: ${payload.readUInt32BE(0)}`));
    else if (type === frame.goAway) failAll(new Error('the server said goodbye'));
  }

  readFrames(socket, received);
  socket.on('error', failAll);
  socket.on('close', () => failAll(new Error('the connection ended')));
  // No header table, so that header blocks are the same bytes each time; and windows that never fill.
  const settings = Buffer.from([0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff]);
  socket.write(preface);
  socket.write(frameOf(frame.settings, 0, 0, settings));
  socket.write(windowUpdate(largestWindow - 65_535));
  return (request) =>
    new Promise((resolve, reject) => {
      const call = calls[request];
      if (call === undefined) throw new RangeError(`there is no request ${request}`);
      stream += 2;
      pending.set(stream, { chunks: [], resolve, reject });
      socket.write(call(stream));
    });
}

function readFrames(
  socket: Socket,
  received: (type: number, flags: number, id: number, payload: Buffer) => void,
): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 9) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      received(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, bytes.readUInt32BE(at + 5), bytes.subarray(at + 9, end));
      at = end;
    }
    rest = bytes.subarray(at);
  });
}

/** The two frames of a call, in which only the number of the stream differs from call to call. */
function template(
  path: string,
  authority: string,
  headers: Readonly<Record<string, string>>,
  request: Uint8Array,
): (stream: number) => Buffer {
  const fields = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': authority,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    ...headers,
  };
  const block = Buffer.concat(
    Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  );
  const message = Buffer.concat([Buffer.alloc(5), request]);
  message.writeUInt32BE(request.length, 1);
  const both = Buffer.concat([
    frameOf(frame.headers, flag.endHeaders, 0, block),
    frameOf(frame.data, flag.endStream, 0, message),
  ]);
  return (stream) => {
    const bytes = Buffer.from(both);
    bytes.writeUInt32BE(stream, 5);
    bytes.writeUInt32BE(stream, 9 + block.length + 5);
    return bytes;
  };
}

/** A string of RFC 7541 without Huffman coding. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const beyond = bytes.length - 127;
  if (beyond > 16_383) throw new Error('a header is too long for this client');
  const length = beyond < 128 ? [127, beyond] : [127, (beyond & 127) | 128, beyond >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}

function windowUpdate(by: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(by);
  return frameOf(frame.windowUpdate, 0, 0, payload);
}

function frameOf(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
