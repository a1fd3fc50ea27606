import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { StageRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keyOf } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { announced, begin, framed, rawSession } from './raw-grpc.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
beforeEach(() => {
  doors.script.calls.length = 0;
  doors.log.length = 0;
});
afterAll(() => doors.close(1000));

const stage = '/tether.v1.ActionService/Stage';
const watch = '/tether.v1.ActionService/Watch';
const health = '/grpc.health.v1.Health/Check';
const request = toBinary(StageRequestSchema, create(StageRequestSchema, { tool: 't' }));
const whole = framed(request);
const packed = gzipSync(request);
const gzip = { 'grpc-encoding': 'gzip' };
type Case = readonly [
  path: string,
  headers: Readonly<Record<string, string>>,
  bytes: Buffer,
  status: Code,
  says: object,
];
const cases: Readonly<Record<string, Case>> = {
  'a message that says it is far too large': [
    stage,
    {},
    announced(50_000_000),
    Code.InvalidArgument,
    { message: 'A request may have at most 1048576 bytes. This one is larger.', limitJson: '1048576' },
  ],
  'a message that unpacks far beyond the limit': [
    stage,
    gzip,
    framed(gzipSync(Buffer.alloc(50_000_000)), true),
    Code.InvalidArgument,
    { message: 'A request may have at most 1048576 bytes. This one is larger.', limitJson: '1048576' },
  ],
  'a packed message that is damaged': [
    stage,
    gzip,
    framed(packed.subarray(0, 4), true).fill(0xff, 5),
    Code.InvalidArgument,
    {
      message: 'The request of /tether.v1.ActionService/Stage says that it is packed, and does not unpack.',
    },
  ],
  'a packed message that breaks off': [
    stage,
    gzip,
    framed(packed.subarray(0, -9), true),
    Code.InvalidArgument,
    { message: expect.stringMatching(/packed, and does not unpack/) },
  ],
  // The protocol asks for this code.
  'a way of packing that is not known': [
    stage,
    { 'grpc-encoding': 'br' },
    framed(packed, true),
    Code.Unimplemented,
    { field: 'grpc-encoding', receivedJson: '"br"', acceptedJson: ['"identity"', '"deflate"', '"gzip"'] },
  ],
  'a timeout that is none': [
    stage,
    { 'grpc-timeout': 'soon' },
    whole,
    Code.InvalidArgument,
    { field: 'grpc-timeout', receivedJson: '"soon"', message: expect.stringMatching(/like "5S"/) },
  ],
  'no message': [
    stage,
    {},
    Buffer.alloc(0),
    Code.Unimplemented,
    { message: expect.stringMatching(/takes one request message, and got none/) },
  ],
  'half a message': [
    stage,
    {},
    whole.subarray(0, 6),
    Code.Unimplemented,
    { message: expect.stringMatching(/and got none/) },
  ],
  'two messages': [
    stage,
    {},
    Buffer.concat([whole, whole]),
    Code.Unimplemented,
    { message: expect.stringMatching(/takes one request message, and got a second/) },
  ],
  'a good message, and one that is far too large': [
    stage,
    {},
    Buffer.concat([whole, announced(50_000_000)]),
    Code.InvalidArgument,
    { limitJson: '1048576' },
  ],
  'two messages for a stream': [
    watch,
    {},
    Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]),
    Code.Unimplemented,
    { message: expect.stringMatching(/takes one request message, and got a second/) },
  ],
  'a packed question about health that is damaged': [
    health,
    gzip,
    framed(Buffer.from('hello'), true),
    Code.InvalidArgument,
    { message: expect.stringMatching(/packed, and does not unpack/) },
  ],
  'a question about health that does not parse': [
    health,
    {},
    framed(Buffer.from('hello')),
    Code.InvalidArgument,
    { message: 'The request of /grpc.health.v1.Health/Check does not parse.' },
  ],
  'a question about health that is far too large': [
    health,
    {},
    announced(50_000_000),
    Code.InvalidArgument,
    { limitJson: '1048576' },
  ],
};

test.each(Object.keys(cases))('%s is refused with what to do, and nothing is done', async (what) => {
  const [path, headers, bytes, status, says] = cases[what] ?? [];
  const sent = { ...keyOf('agent'), 'x-request-id': 'refused-1', ...headers };
  const { stream, answer } = begin(rawSession(doors.grpcPort), path ?? '', sent);
  stream.end(bytes);
  expect(await answer).toMatchObject({
    status,
    detail: { code: 'INVALID_REQUEST', effect: 1, retryable: false, ...says },
  });
  expect(doors.script.calls).toEqual([]);
  if (path === health) return;
  const ended = doors.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call ended');
  const name = status === Code.Unimplemented ? 'UNIMPLEMENTED' : 'INVALID_ARGUMENT';
  expect(ended).toMatchObject([{ request_id: 'refused-1', status: name, error: 'INVALID_REQUEST' }]);
});

test('a stranger learns from none of it what a request is, but that a timeout is none', async () => {
  for (const [what, [path, headers, bytes]] of Object.entries(cases)) {
    if (path === health) continue;
    const { stream, answer } = begin(rawSession(doors.grpcPort), path, headers);
    stream.end(bytes);
    const code = what === 'a timeout that is none' ? 'INVALID_REQUEST' : 'UNAUTHENTICATED';
    expect(await answer, what).toMatchObject({ detail: { code } });
  }
});

test.each(['2592000S', '99999999M'])('a timeout longer than any timer (%s) is as good as none', async (timeout) => {
  // A timer that overflows fires within a millisecond; this answer takes longer.
  doors.script.instead = async () => {
    for (let times = 0; times < 10; times += 1) await fetch(`${doors.httpAddress}/healthz`);
    return undefined;
  };
  const { stream, answer } = begin(rawSession(doors.grpcPort), stage, { ...keyOf('agent'), 'grpc-timeout': timeout });
  stream.end(whole);
  const seen = await answer;
  doors.script.instead = undefined;
  expect(seen).toMatchObject({ status: 0 });
  const ended = doors.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call ended');
  expect(ended).toMatchObject([{ status: 'OK' }]);
});

test('a deadline that passes says nothing of what is left behind', async () => {
  const late = begin(rawSession(doors.grpcPort), stage, { ...keyOf('agent'), 'grpc-timeout': '50m' });
  late.stream.write(whole.subarray(0, 3));
  await once(late.stream, 'response');
  late.stream.close();
  expect(await late.answer).toMatchObject({ status: Code.DeadlineExceeded, detail: undefined });
});

test('a method that there is not, and a call that is none of gRPC, are refused by the library in its own way', async () => {
  const { stream, answer } = begin(rawSession(doors.grpcPort), '/tether.v1.ActionService/Stag', keyOf('agent'));
  stream.end(whole);
  expect(await answer).toMatchObject({ status: Code.Unimplemented, detail: undefined });
  const other = begin(rawSession(doors.grpcPort), stage, { ...keyOf('agent'), 'content-type': 'application/json' });
  const [headers] = await once(other.stream, 'response');
  expect(headers[':status']).toBe(415);
});
