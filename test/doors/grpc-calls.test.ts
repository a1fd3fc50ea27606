import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { connect } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { ConfirmRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keyOf } from './clients.ts';
import { closed, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { begin, framed, rawSession } from './raw-grpc.ts';
import { actionId, settledAction, threeKeys } from './scripted-lifecycle.ts';

const confirm = '/tether.v1.ActionService/Confirm';
const watch = '/tether.v1.ActionService/Watch';
const approver = keyOf('approver');
const request = framed(toBinary(ConfirmRequestSchema, create(ConfirmRequestSchema, { actionId })));

async function open(options: Parameters<typeof openDoors>[0] = {}): Promise<OpenDoors> {
  const doors = await openDoors(options);
  onTestFinished(() => doors.close(0));
  return doors;
}

/** Doors that let nobody in before the gate opens; `asked` is open when somebody has knocked. */
async function openWithGate() {
  const [asked, letIn] = [gate(), gate()];
  const doors = await open({
    authenticator: {
      recognises: () => false,
      async authenticate(credential) {
        asked.open();
        await letIn.opened;
        return threeKeys.authenticate(credential);
      },
    },
  });
  return { doors, asked, letIn };
}

/** Whatever was on its way before has been there, and what the server had to say to it has come. */
async function thereAndBack(session: ClientHttp2Session): Promise<void> {
  for (let times = 0; times < 20; times++) await new Promise((resolve) => session.ping(resolve));
}

test('nothing of a request is read before its caller is let in', async () => {
  const { doors, asked, letIn } = await openWithGate();
  const session = rawSession(doors.grpcPort);
  const { stream, answer } = begin(session, confirm, approver);
  let gone = false;
  // More than a caller may send unread.
  stream.write(framed(Buffer.alloc(200_000)), () => {
    gone = true;
  });
  await asked.opened;
  await thereAndBack(session);
  expect(gone).toBe(false);
  letIn.open();
  stream.end();
  expect(await answer).toMatchObject({ status: Code.InvalidArgument });
  expect(gone).toBe(true);
});

test.each([
  ['hangs up', {}, 'CANCEL'],
  ['has no time left', { 'grpc-timeout': '50m' }, 'DEADLINE'],
])('of a caller who %s before being let in one line in the log is left', async (_what, headers, told) => {
  const { doors, asked, letIn } = await openWithGate();
  const session = rawSession(doors.grpcPort);
  const { stream, answer } = begin(session, confirm, { ...approver, 'x-request-id': 'left-early', ...headers });
  stream.end(request);
  await asked.opened;
  if (told === 'CANCEL') stream.close(constants.NGHTTP2_CANCEL);
  await answer;
  await thereAndBack(session);
  letIn.open();
  const ended = () => doors.log.filter((line) => line.includes('left-early') && line.includes('call ended'));
  await vi.waitUntil(() => ended().length > 0);
  expect(ended()).toEqual([expect.stringContaining(told)]);
  expect(doors.script.calls).toEqual([]);
});

test('the time that a request has to arrive in is not the time that its answer may take', async () => {
  const doors = await open({ limits: { requestMs: 300, http: { headersMs: 300 } } });
  const goOn = gate();
  doors.script.instead = () => goOn.opened;
  const session = rawSession(doors.grpcPort);
  const { stream, answer } = begin(session, confirm, approver);
  stream.end(request);
  await vi.waitUntil(() => doors.script.calls.length > 0);
  // One that begins later and sends nothing tells when the time is over.
  const late = begin(session, confirm, approver);
  await once(late.stream, 'response');
  goOn.open();
  expect(await answer).toMatchObject({ status: 0 });
});

test('who reads a stream too late is told what went out in time, and that the time is over', async () => {
  const doors = await open();
  const action = { ...settledAction, arguments: JSON.stringify('x'.repeat(50_000)) };
  doors.script.watch = async function* endless() {
    for (;;) yield { kind: 'snapshot', action, error: null, cursor: 'e1.1' };
  };
  doors.script.instead = () => new Promise(() => undefined);
  const session = rawSession(doors.grpcPort);
  const late = begin(session, watch, { ...keyOf('agent'), 'grpc-timeout': '200m' });
  late.stream.pause();
  late.stream.end(Buffer.alloc(5));
  await once(late.stream, 'response');
  // On a connection of its own, whose window is free: one that begins later, has as long, and is told of it.
  const clock = begin(rawSession(doors.grpcPort), confirm, { ...approver, 'grpc-timeout': '200m' });
  clock.stream.end(request);
  expect(await clock.answer).toMatchObject({ status: Code.DeadlineExceeded });
  late.stream.resume();
  expect(await late.answer).toMatchObject({ status: Code.DeadlineExceeded, reset: 0 });
});

/** A frame of HTTP/2. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const fields = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', confirm],
  [':authority', 'a'],
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
  ['authorization', 'Bearer key-approver'],
] as const;
const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const headers = Buffer.concat(
  fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
);
const endHeaders = 4;
const endStream = 1;

test.each([
  ['has been answered', (id: number) => [frame(0, endStream, id, request)]],
  ['was taken back at once', (id: number) => [frame(3, 0, id, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]))]],
  [
    'was taken back when it was whole',
    (id: number) => [frame(0, endStream, id, request), frame(3, 0, id, Buffer.alloc(4))],
  ],
])('a connection whose every call %s is idle, whatever has begun to come in', async (_what, rest) => {
  const doors = await open({ limits: { grpc: { idleMs: 200 } } });
  const socket = connect(doors.grpcPort, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  const calls = [1, 3, 5].flatMap((id) => [frame(1, endHeaders, id, headers), ...rest(id)]);
  // And the head of a HEADERS frame that never has an end.
  const endless = frame(1, endHeaders, 7, Buffer.alloc(16_000)).subarray(0, 9);
  socket.write(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4, 0, 0, Buffer.alloc(0)),
      ...calls,
      endless,
    ]),
  );
  const dribbling = setInterval(() => socket.write('\0'), 10);
  await closed(socket);
  clearInterval(dribbling);
});
