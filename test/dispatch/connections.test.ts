/** Which connection a call goes out on (DESIGN §4): a fresh one, or one that has just answered. */
import { createServer as createHttp2Server, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { endpointTransports } from '../../server/domain/endpoint.ts';
import { answers, startEndpoint } from '../support/endpoint.ts';
import { dispatcherTo, serve, settingsOf, writeCall } from './calls.ts';
import { certificate, privateKey } from './loopback-certificate.ts';
import { ok, perRequest, rawServer } from './raw-server.ts';

describe.each(endpointTransports)('over %s', (transport) => {
  test('one that has just answered is used again; a second later it is not', async () => {
    const endpoint = await startEndpoint({ transport });
    onTestFinished(() => endpoint.close());
    let now = 0;
    const dispatcher = dispatcherTo(endpoint.settings, { monotonic: () => now });
    await dispatcher.write(writeCall());
    now += 1_000;
    await dispatcher.write(writeCall());
    expect(endpoint.connections()).toBe(1);
    now += 1_001;
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    expect(endpoint.connections()).toBe(2);
  });

  test('many at once against a fast endpoint keep using theirs', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    let left = 640;
    const inLine = async () => {
      while (left > 0) {
        left -= 1;
        expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
      }
    };
    await Promise.all(Array.from({ length: 32 }, inLine));
    expect(endpoint.calls).toHaveLength(640);
    expect(endpoint.connections()).toBeLessThanOrEqual(64);
  });

  test('one on which a call went unanswered is not used again', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerNext(answers.silence());
    await dispatcher.write(writeCall({ timeoutMs: 500 }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    // Over gRPC the connection is shared: the silent call is cancelled on it, and its youth vouches for it.
    expect(endpoint.connections()).toBe(transport === 'grpc' ? 1 : 2);
  });

  test('an endpoint that comes back after a restart is called without ado', async () => {
    const first = await startEndpoint({ transport });
    const dispatcher = dispatcherTo(first.settings);
    await dispatcher.write(writeCall());
    const port = Number(new URL(first.url).port);
    await first.close();
    const second = await startEndpoint({ transport, port });
    onTestFinished(() => second.close());
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    expect(second.calls).toHaveLength(1);
  });
});

describe('over HTTP/1.1', () => {
  test('a server that says it closes is believed', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => socket.end(ok('{}', 'connection: close\r\n'))),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    for (let call = 0; call < 20; call += 1) {
      expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    }
    expect(server.connections).toHaveLength(20);
  });

  test('a server that closes right after answering loses no write: from then on each gets a connection of its own', async () => {
    const requests: number[] = [];
    const server = await rawServer(
      () => undefined,
      perRequest((socket, number) => {
        requests.push(number);
        socket.end(ok());
      }),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    for (let call = 0; call < 100; call += 1) {
      expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    }
    expect(requests).toEqual(Array(100).fill(1));
  });

  test('an origin that closed on us once is never trusted with a used connection again', async () => {
    let closes = true;
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => {
        socket.write(ok());
        if (closes) socket.end();
        closes = false;
      }),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    for (let call = 0; call < 5; call += 1) await dispatcher.write(writeCall());
    expect(server.connections).toHaveLength(5);
  });

  test('a keep-alive too short to rely on is not relied on', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => void socket.write(ok('{}', 'keep-alive: timeout=1\r\n'))),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url));
    for (let call = 0; call < 3; call += 1) {
      expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    }
    expect(server.connections).toHaveLength(3);
  });
});

test('over HTTP/2, an origin that dropped an idle connection gets one for every call', async () => {
  const connections: Socket[] = [];
  const server = createHttp2Server();
  server.on('connection', (socket: Socket) => connections.push(socket));
  const dropped: Promise<unknown>[] = [];
  server.on('stream', (stream) => {
    answerGrpc(stream);
    const [first] = connections;
    if (connections.length > 1 || first === undefined) return;
    dropped.push(new Promise((resolve) => first.on('close', resolve)));
    stream.on('close', () => setImmediate(() => first.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = dispatcherTo(settingsOf(url, { transport: 'grpc' }));
  for (let call = 0; call < 5; call += 1) {
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
    await Promise.all(dropped);
  }
  expect(connections).toHaveLength(5);
});

/** An `InvokeResponse` with the result `{}`. */
function answerGrpc(stream: ServerHttp2Stream): void {
  stream.on('error', () => undefined);
  stream.resume().respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x7b, 0x7d]));
}

describe('over TLS', () => {
  beforeAll(() => tls.setDefaultCACertificates([certificate]));
  const credentials = { key: privateKey, cert: certificate };

  async function listening(server: ReturnType<typeof createHttpsServer> | ReturnType<typeof createSecureServer>) {
    const sockets = new Set<{ destroy(): void }>();
    server.on('secureConnection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  test('plain JSON', async () => {
    const url = await listening(
      createHttpsServer(credentials, (request, response) =>
        request.resume().on('end', () => response.end('{"tls":true}')),
      ),
    );
    const dispatcher = dispatcherTo(settingsOf(url));
    for (let call = 0; call < 2; call += 1) {
      expect(await dispatcher.write(writeCall())).toEqual({ kind: 'succeeded', result: '{"tls":true}' });
    }
  });

  test('gRPC', async () => {
    const server = createSecureServer(credentials);
    server.on('stream', answerGrpc);
    const dispatcher = dispatcherTo(settingsOf(await listening(server), { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall())).toEqual({ kind: 'succeeded', result: '{}' });
  });

  test.each(['json', 'grpc'] as const)('a certificate for another name gets no request, over %s', async (transport) => {
    const url = await listening(createHttpsServer(credentials, (_, response) => response.end('{}')));
    const settings = settingsOf(url.replace('localhost', 'ip6-localhost.localhost'), { transport });
    expect(await dispatcherTo(settings).write(writeCall())).toMatchObject({ kind: 'failed', effect: 'NONE' });
  });
});
