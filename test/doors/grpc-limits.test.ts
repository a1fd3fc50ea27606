import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { ConfirmRequestSchema, StageRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DoorLimits } from '../../server/doors/limits.ts';
import { clientOf, keyOf } from './clients.ts';
import { closed, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { begin, framed, rawSession } from './raw-grpc.ts';
import { actionId, threeKeys } from './scripted-lifecycle.ts';

async function open(limits: Parameters<typeof openDoors>[0] = {}): Promise<OpenDoors> {
  const doors = await openDoors(limits);
  onTestFinished(() => doors.close(0));
  return doors;
}

const grpc = (part: Partial<DoorLimits['grpc']>) => ({ limits: { grpc: part } });

/** How a client begins: it speaks HTTP/2, with the usual settings. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

const confirm = '/tether.v1.ActionService/Confirm';
const stage = '/tether.v1.ActionService/Stage';
const approver = keyOf('approver');
const request = framed(toBinary(ConfirmRequestSchema, create(ConfirmRequestSchema, { actionId })));

test('a stranger is turned away before his request is read, however large he says it is', async () => {
  const doors = await open();
  const { stream, answer } = begin(rawSession(doors.grpcPort), stage);
  stream.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]));
  await once(stream, 'response');
  stream.close();
  expect(await answer).toMatchObject({ status: Code.Unauthenticated, detail: { code: 'UNAUTHENTICATED' } });
});

test.each([
  [
    'a call',
    confirm,
    { code: 'INVALID_REQUEST', message: expect.stringMatching(/did not arrive in time: it has 0.3 s/) },
  ],
  ['a question about health', '/grpc.health.v1.Health/Check', { code: 'INVALID_REQUEST' }],
])('who sends the request of %s byte by byte is told that time is up', async (_, path, detail) => {
  const doors = await open({ limits: { requestMs: 300, http: { headersMs: 300 } } });
  const { stream, answer } = begin(rawSession(doors.grpcPort), path, approver);
  stream.write(Buffer.from([0, 0, 0, 1, 0]));
  const dribbling = setInterval(() => stream.write('x'), 10);
  await once(stream, 'response');
  clearInterval(dribbling);
  stream.close();
  expect(await answer).toMatchObject({ status: Code.InvalidArgument, detail });
  expect(doors.script.calls).toEqual([]);
});

test.each([
  ['says nothing', Buffer.alloc(0), undefined],
  ['begins to say that it speaks HTTP/2, and does not end', Buffer.from('PRI * HT'), 'x'],
  [
    'sends headers byte by byte',
    // The preface, and the head of a HEADERS frame of 16,000 bytes that never has an end.
    Buffer.concat([preface, Buffer.from([0, 0x3e, 0x80, 1, 4, 0, 0, 0, 1])]),
    '\0',
  ],
])('a connection that %s is ended', async (_, atOnce, byte) => {
  const doors = await open(grpc({ idleMs: 200 }));
  const socket = connect(doors.grpcPort, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  if (atOnce.length > 0) socket.write(atOnce);
  const dribbling = setInterval(() => byte !== undefined && socket.write(byte), 10);
  await closed(socket);
  clearInterval(dribbling);
});

test('calls beyond those that a connection may have at once wait for their turn, and none is lost', async () => {
  const doors = await open(grpc({ streams: 2 }));
  const goOn = gate();
  doors.script.instead = () => goOn.opened;
  const client = clientOf('grpc', doors);
  // The client hears of the limit with the answer to the first.
  const first = rawSession(doors.grpcPort);
  await once(first, 'remoteSettings');
  expect(first.remoteSettings.maxConcurrentStreams).toBe(2);
  const calls = Array.from({ length: 6 }, () => client.call('confirm', { actionId }, { headers: approver }));
  await vi.waitUntil(() => doors.script.calls.length >= 2);
  goOn.open();
  for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ code: 0 });
  client.close();
});

test('more metadata than there may be is refused as what it is, and the connection lives on', async () => {
  const doors = await open();
  const client = clientOf('grpc', doors);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, '1']));
  const refused = await client.call('confirm', { actionId }, { headers: { ...approver, ...many } });
  expect(refused.code).toBe(Code.ResourceExhausted);
  expect(await client.call('confirm', { actionId }, { headers: approver })).toMatchObject({ code: 0 });
  client.close();
  expect(doors.script.calls).toHaveLength(1);
});

test('metadata without end is cut off, and others are served', async () => {
  const doors = await open();
  const socket = connect(doors.grpcPort, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  const field = Buffer.concat([Buffer.from([0, 3]), Buffer.from('x-a'), Buffer.from([100]), Buffer.alloc(100, 'x')]);
  const fragment = Buffer.concat(Array.from({ length: 150 }, () => field));
  const frame = (type: number, payload: Buffer) => {
    const head = Buffer.from([0, 0, 0, type, 0, 0, 0, 0, 1]);
    head.writeUIntBE(payload.length, 0, 3);
    return Buffer.concat([head, payload]);
  };
  socket.write(Buffer.concat([preface, frame(1, fragment)]));
  const going = setInterval(() => socket.write(frame(9, fragment)), 1);
  await closed(socket);
  clearInterval(going);
  const client = clientOf('grpc', doors);
  expect(await client.call('confirm', { actionId }, { headers: approver })).toMatchObject({ code: 0 });
  client.close();
});

test.each([
  [
    'a little',
    1_500_000,
    { status: Code.InvalidArgument, detail: { limitJson: '1048576', receivedJson: expect.any(String) } },
  ],
  ['without end', 80_000_000, { status: Code.InvalidArgument, detail: { limitJson: '1048576' } }],
])('a request that unpacks beyond the limit, %s, is refused and never held', async (_, bytes, refusal) => {
  const doors = await open();
  const message = toBinary(
    StageRequestSchema,
    create(StageRequestSchema, { tool: 't', argumentsJson: 'x'.repeat(bytes) }),
  );
  const { stream, answer } = begin(rawSession(doors.grpcPort), stage, { ...keyOf('agent'), 'grpc-encoding': 'gzip' });
  stream.end(framed(gzipSync(message), true));
  expect(await answer).toMatchObject(refusal);
  expect(doors.script.calls).toEqual([]);
});

test('a client that opens calls and takes them back at once is cut off, and others are served', async () => {
  const doors = await open();
  const session = rawSession(doors.grpcPort);
  const resetting = setInterval(() => {
    for (let times = 0; times < 500 && !session.destroyed; times++)
      begin(session, confirm).stream.close(constants.NGHTTP2_CANCEL);
  }, 1);
  await closed(session);
  clearInterval(resetting);
  const client = clientOf('grpc', doors);
  expect(await client.call('confirm', { actionId }, { headers: approver })).toMatchObject({ code: 0 });
  client.close();
});

test('a connection of its age is said goodbye to, what runs on it ends well, and clients go on by another', async () => {
  const doors = await open(grpc({ ageMs: 300, graceMs: 600_000 }));
  const goOn = gate();
  doors.script.instead = () => goOn.opened;
  const session = rawSession(doors.grpcPort);
  const { stream, answer } = begin(session, confirm, approver);
  stream.end(request);
  const [code] = await once(session, 'goaway');
  expect(code).toBe(constants.NGHTTP2_NO_ERROR);
  goOn.open();
  expect(await answer).toMatchObject({ status: 0 });
  await closed(session);
  // As clients are unless told otherwise: what was on its way at the goodbye, and was never begun, goes out once more.
  const client = new Client(doors.grpcAddress, credentials.createInsecure());
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set('authorization', 'Bearer key-approver');
  const asIs = (bytes: Buffer) => bytes;
  const until = performance.now() + 1_000;
  while (performance.now() < until)
    await new Promise<void>((resolve, reject) =>
      client.makeUnaryRequest(confirm, asIs, asIs, request.subarray(5), metadata, (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
});

test('a watch on an old connection ends with a word about how to go on, and a plan with what was not run', async () => {
  const doors = await open(grpc({ ageMs: 200, graceMs: 400 }));
  doors.script.watch = async function* watch(_, __, signal) {
    yield { kind: 'heartbeat', cursor: 'e7.1' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  doors.script.confirmPlan = async function* confirmPlan(_, entries, signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    for (const [index, entry] of entries.entries())
      yield { index, actionId: entry.actionId, kind: 'not-run', reason: 'stopping' };
  };
  const client = clientOf('grpc', doors);
  const [watched, planned] = await Promise.all([
    client.call('watch', {}, { headers: keyOf('agent') }),
    client.call('confirmPlan', { entries: [{ actionId }] }, { headers: approver }),
  ]);
  client.close();
  expect(watched).toMatchObject({ code: Code.Unavailable, messages: [{ cursor: 'e7.1' }] });
  expect(watched.details).toMatchObject([
    { retryable: true, message: expect.stringContaining('resume with your cursor') },
  ]);
  expect(planned).toMatchObject({ code: 0, messages: [{ notRun: { reason: 'stopping' } }] });
});

test('a client that does not say that it is there is cut off', async () => {
  const doors = await open(grpc({ pingEveryMs: 100, pingTimeoutMs: 100 }));
  const socket = connect(doors.grpcPort, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  // Speaks HTTP/2, and answers nothing.
  socket.write(preface);
  await closed(socket);
});

test('a client that asks again and again whether the server is there is answered', async () => {
  const doors = await open();
  const session = rawSession(doors.grpcPort);
  await once(session, 'connect');
  for (let times = 0; times < 200; times++) await new Promise((resolve) => session.ping((error) => resolve(error)));
  const { stream, answer } = begin(session, confirm, approver);
  stream.end(request);
  expect(await answer).toMatchObject({ status: 0 });
});

test('who leaves before the request is there leaves nothing behind but one line in the log', async () => {
  const asked = gate();
  const doors = await open({
    authenticator: {
      recognises: () => false,
      authenticate(credential) {
        asked.open();
        return threeKeys.authenticate(credential);
      },
    },
  });
  const { stream, answer } = begin(rawSession(doors.grpcPort), confirm, { ...approver, 'x-request-id': 'left-early' });
  stream.write(request.subarray(0, 3));
  await asked.opened;
  stream.close(constants.NGHTTP2_CANCEL);
  await answer;
  const ended = () => doors.log.filter((line) => line.includes('left-early') && line.includes('call ended'));
  await vi.waitUntil(() => ended().length > 0);
  expect(ended()).toEqual([expect.stringContaining('CANCEL')]);
  expect(doors.script.calls).toEqual([]);
});
