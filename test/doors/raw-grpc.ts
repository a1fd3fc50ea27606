import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { onTestFinished } from 'vitest';

/** What a caller of gRPC sees that is written by hand, frame by frame. */
export interface RawAnswer {
  /** The status; undefined when the stream ended without one. */
  readonly status: number | undefined;
  readonly detail: ActionableError | undefined;
  /** How the stream was ended: 0 for well. */
  readonly reset: number;
}

export function rawSession(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** Begins a call, and leaves its request to the test. */
export function begin(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): { readonly stream: ClientHttp2Stream; readonly answer: Promise<RawAnswer> } {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const seen: Record<string, unknown> = {};
  stream.on('response', (received) => Object.assign(seen, received));
  stream.on('trailers', (received) => Object.assign(seen, received));
  stream.on('error', () => undefined);
  stream.resume();
  const answer = new Promise<RawAnswer>((resolve) => {
    stream.once('close', () => {
      const status = seen['grpc-status'];
      resolve({
        status: status === undefined ? undefined : Number(status),
        detail: detailIn(seen['grpc-status-details-bin']),
        reset: stream.rstCode,
      });
    });
  });
  return { stream, answer };
}

/** A message in the frame that gRPC puts around it. */
export function framed(message: Uint8Array, packed = false): Buffer {
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt8(packed ? 1 : 0, 0);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}

/** The head of a message that says that it has so many bytes, and none of them. */
export function announced(bytes: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes, 1);
  return head;
}

/** By the published field numbers of google.rpc.Status: details = 3. */
export function detailIn(header: unknown): ActionableError | undefined {
  if (typeof header !== 'string') return undefined;
  const reader = new BinaryReader(Buffer.from(header, 'base64'));
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 3) return fromBinary(ActionableErrorSchema, fromBinary(AnySchema, reader.bytes()).value);
    reader.skip(wireType);
  }
  return undefined;
}
