/** A watcher who looks at everything that there is, and watches again as soon as all of it was told. */
import { type ClientHttp2Session, connect } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ActionService, WatchRequestSchema, WatchResponseSchema } from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';
import { contend } from '../contender.ts';

const address = given('BENCH_GRPC_ADDRESS');
const path = `/${ActionService.typeName}/Watch`;
const authorization = `Bearer ${given('BENCH_APPROVER_KEY')}`;
const request = framed(toBinary(WatchRequestSchema, create(WatchRequestSchema)));
const expected = Number(given('BENCH_ACTIONS'));

// Some connections with some streams each, as several programs would have them.
const sessions: readonly ClientHttp2Session[] = Array.from({ length: 10 }, () => connect(`http://${address}`));
let next = 0;

/** Resolves when the first heartbeat has come, which ends the snapshot. */
contend(async () => {
  const session = sessions[next++ % sessions.length];
  if (session === undefined) throw new Error('there is no connection');
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    authorization,
  });
  stream.end(request);
  let seen = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 5 && bytes.length - at >= 5 + bytes.readUInt32BE(at + 1)) {
      const end = at + 5 + bytes.readUInt32BE(at + 1);
      // A heartbeat is small, and only it is worth reading.
      if (end - at < 64 && fromBinary(WatchResponseSchema, bytes.subarray(at + 5, end)).update.case === 'heartbeat') {
        stream.close();
        if (seen !== expected) throw new Error(`a snapshot has ${seen} actions of ${expected}`);
        return;
      }
      seen += 1;
      at = end;
    }
    rest = bytes.subarray(at);
  }
  throw new Error('a watch ended by itself');
});

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}
