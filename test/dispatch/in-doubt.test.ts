/** What goes wrong after the first byte may have left: it decides nothing (rule 4), whatever the peer does to the wire. */
import type { OutgoingHttpHeaders } from 'node:http';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dispatcherTo, readCall, settingsOf, writeCall } from './calls.ts';
import { ok, perRequest, rawServer } from './raw-server.ts';

const doubt = { kind: 'no-answer', error: { code: 'OUTCOME_INDETERMINATE', effect: 'UNKNOWN' } };
const json = 'content-type: application/json\r\n';

describe.each(['json', 'connect'] as const)('over %s', (transport) => {
  test.each<[string, (socket: Socket) => void]>([
    ['closes without a word', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['closes within the head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-')],
    ['sends what is no HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    [
      'promises more than it sends',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${json}content-length: 50\r\n\r\n{"ok":true}`),
    ],
    [
      'cuts a chunk',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\nff\r\n{"ok":true}`),
    ],
    [
      'never ends its chunks',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\nb\r\n{"ok":true}\r\n`),
    ],
    [
      'gives two lengths',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${json}content-length: 11\r\ncontent-length: 2\r\n\r\n{"ok":true}`),
    ],
    [
      'answers 101',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['answers 100 for good', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    ['answers 103 and then nothing', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('a server that %s', async (_, misbehave) => {
    const server = await rawServer(() => undefined, perRequest(misbehave));
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport }));
    expect(await dispatcher.write(writeCall())).toMatchObject(doubt);
    expect(server.connections).toHaveLength(1);
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed', error: { code: 'TOOL_UNAVAILABLE' } });
  });

  test('a head without an end is cut off in time', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-')),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport }));
    expect(await dispatcher.write(writeCall({ timeoutMs: 500 }))).toMatchObject(doubt);
  });

  test('a body that trickles is cut off in time, however often a byte comes', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}content-length: 1000\r\n\r\n`);
        const timer = setInterval(() => socket.write(' '), 5);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport }));
    const from = performance.now();
    expect(await dispatcher.write(writeCall({ timeoutMs: 500 }))).toMatchObject(doubt);
    expect(performance.now() - from).toBeGreaterThanOrEqual(495);
  });

  test('a body without an end is cut off at the cap, and its connection is dropped', async () => {
    let sent = 0;
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\n`);
        const more = () => {
          while (!socket.destroyed && socket.write(`4000\r\n${' '.repeat(0x4000)}\r\n`)) sent += 0x4000;
        };
        socket.on('drain', more);
        more();
      }),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport, maxResponseBytes: 100_000 }));
    const closed = new Promise((resolve) => setImmediate(() => resolve(undefined)));
    expect(await dispatcher.write(writeCall())).toMatchObject(doubt);
    await closed;
    const [socket] = server.connections;
    if (socket && !socket.closed) await new Promise((resolve) => socket.on('close', resolve));
    expect(sent).toBeLessThan(50_000_000);
  });
});

describe('over json', () => {
  test('an answer is read up to its length: what follows is not taken for the next answer', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket, number) => {
        socket.write(ok(`{"number":${number}}`) + (number === 1 ? ok('{"smuggled":true}') : ''));
      }),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded', result: '{"number":1}' });
    const second = await dispatcher.write(writeCall());
    expect(JSON.stringify(second)).not.toContain('smuggled');
    expect(second).toMatchObject({ kind: 'succeeded' });
  });

  test('hints before the answer are not the answer', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${ok()}`)),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded', result: '{"ok":true}' });
  });

  test('a body that ends with its connection is whole if its JSON is, and in doubt if that cannot be seen', async () => {
    const bodies = ['{"ok":true}', '12'];
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => socket.end(`HTTP/1.1 200 OK\r\n${json}connection: close\r\n\r\n${bodies.shift()}`)),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    expect(await dispatcher.write(writeCall())).toMatchObject(doubt);
  });
});

describe('over grpc', () => {
  const grpc = { ':status': 200, 'content-type': 'application/grpc+proto' };

  async function http2Server(onStream: (stream: ServerHttp2Stream) => void): Promise<{ url: string; calls(): number }> {
    let calls = 0;
    const sessions = new Set<{ destroy(): void }>();
    const server = createServer();
    server.on('session', (session) => sessions.add(session));
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.resume();
      stream.on('end', () => {
        calls += 1;
        onStream(stream);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls };
  }

  /** An `InvokeResponse` with the result `{}`, framed. */
  const message = Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x7b, 0x7d]);
  const withTrailers = (stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>) => {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(body);
  };

  const respond = (stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, body?: Buffer) => {
    stream.respond(headers);
    stream.end(body);
  };

  test('a hand-made answer is a success, so that the ones below fail for their faults only', async () => {
    const server = await http2Server((stream) => withTrailers(stream, message, { 'grpc-status': '0' }));
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall())).toEqual({ kind: 'succeeded', result: '{}' });
  });

  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['sends no status', (stream) => withTrailers(stream, message, { 'x-other': '1' })],
    ['sends no trailers', (stream) => respond(stream, grpc, message)],
    ['sends no message', (stream) => withTrailers(stream, Buffer.alloc(0), { 'grpc-status': '0' })],
    ['sends half a message', (stream) => withTrailers(stream, message.subarray(0, 7), { 'grpc-status': '0' })],
    ['sends two messages', (stream) => withTrailers(stream, Buffer.concat([message, message]), { 'grpc-status': '0' })],
    [
      'compresses unasked',
      (stream) => withTrailers(stream, Buffer.concat([Buffer.from([1]), message.subarray(1)]), { 'grpc-status': '0' }),
    ],
    [
      'sends what is no protobuf',
      (stream) => withTrailers(stream, Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff]), { 'grpc-status': '0' }),
    ],
    ['sends a status that does not exist', (stream) => withTrailers(stream, message, { 'grpc-status': '77' })],
    [
      'contradicts itself',
      (stream) => withTrailers(stream, message, { 'grpc-status': '3', 'grpc-status-details-bin': 'CAU' }),
    ],
    [
      'sends broken details',
      (stream) => withTrailers(stream, message, { 'grpc-status': '3', 'grpc-status-details-bin': '!!' }),
    ],
    ['sends another content type', (stream) => respond(stream, { ...grpc, 'content-type': 'text/html' }, message)],
    ['resets the stream', (stream) => stream.close(2)],
    ['cancels the stream', (stream) => stream.close(8)],
    [
      'resets after half of the answer',
      (stream) => {
        stream.respond(grpc);
        stream.write(message.subarray(0, 6));
        setImmediate(() => stream.close(2));
      },
    ],
    ['goes away', (stream) => stream.session?.destroy()],
    ['answers HTTP 502', (stream) => respond(stream, { ':status': 502 })],
    ['redirects', (stream) => respond(stream, { ':status': 307, location: '/else' })],
  ])('a server that %s', async (_, misbehave) => {
    const server = await http2Server(misbehave);
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall())).toMatchObject(doubt);
    expect(server.calls()).toBe(1);
  });

  test('a refused stream was never worked on, and is not sent again', async () => {
    const server = await http2Server((stream) => stream.close(7));
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'failed', effect: 'NONE' });
    expect(server.calls()).toBe(1);
  });

  test.each([401, 403, 404])('HTTP %i from something before the handler turned the call away', async (status) => {
    const server = await http2Server((stream) => respond(stream, { ':status': status }, Buffer.from('<html>')));
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'failed', effect: 'NONE' });
  });
});
