/** "Nothing was sent, provably": what fails before a request can begin (DESIGN §4), over every transport. */
import { describe, expect, test } from 'vitest';
import { endpointTransports } from '../../server/domain/endpoint.ts';
import { dispatcherTo, readCall, settingsOf, writeCall } from './calls.ts';
import { closedPort, rawServer } from './raw-server.ts';

const released = {
  kind: 'failed',
  effect: 'NONE',
  error: { code: 'EXECUTION_FAILED_RETRYABLE', effect: 'NONE', retryable: true },
};

describe.each(endpointTransports)('over %s', (transport) => {
  test('a refused connection', async () => {
    const dispatcher = dispatcherTo(settingsOf(`http://127.0.0.1:${await closedPort()}`, { transport }));
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject(released);
    expect(JSON.stringify(answer)).not.toMatch(/ECONNREFUSED|127\.0\.0\.1/);
    expect(dispatcher.logged).toMatchObject([{ call_id: writeCall().requestId, outcome: 'unsent' }]);
  });

  test('a name that does not exist', async () => {
    const dispatcher = dispatcherTo(settingsOf('http://no-such-host.invalid', { transport }));
    expect(await dispatcher.write(writeCall())).toMatchObject(released);
  });

  test('a TLS handshake that is met with silence', async () => {
    const server = await rawServer(() => undefined);
    const dispatcher = dispatcherTo(settingsOf(server.url.replace('http:', 'https:'), { transport }));
    expect(await dispatcher.write(writeCall({ timeoutMs: 150 }))).toMatchObject(released);
    expect(Buffer.concat(server.received).toString('latin1')).not.toContain('void_ticket');
  });

  test('a TLS handshake that is cut', async () => {
    const server = await rawServer(
      () => undefined,
      (socket) => socket.resetAndDestroy(),
    );
    const dispatcher = dispatcherTo(settingsOf(server.url.replace('http:', 'https:'), { transport }));
    expect(await dispatcher.write(writeCall())).toMatchObject(released);
  });

  test('a server that speaks no TLS', async () => {
    const server = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const dispatcher = dispatcherTo(settingsOf(server.url.replace('http:', 'https:'), { transport }));
    expect(await dispatcher.write(writeCall())).toMatchObject(released);
  });

  test('an endpoint that is not declared any more', async () => {
    const dispatcher = dispatcherTo(settingsOf('http://127.0.0.1:9', { transport }));
    expect(await dispatcher.write(writeCall({ endpoint: 'gone' }))).toMatchObject(released);
    expect(await dispatcher.read(readCall({ endpoint: 'gone' }))).toMatchObject({
      ...{ kind: 'failed', attempts: 1, error: { code: 'TOOL_UNAVAILABLE' } },
    });
    expect(await dispatcher.reserve('gone', AbortSignal.timeout(5_000))).toBeUndefined();
  });

  test('a read tries again, and then fails', async () => {
    const dispatcher = dispatcherTo(settingsOf(`http://127.0.0.1:${await closedPort()}`, { transport }));
    expect(await dispatcher.read(readCall())).toMatchObject({
      ...{ kind: 'failed', attempts: 3, error: { code: 'TOOL_UNAVAILABLE', retryable: true } },
    });
    expect(dispatcher.gaps).toEqual([150, 300]);
  });
});

describe('over grpc', () => {
  test.each([
    ['says nothing', ''],
    ['speaks HTTP/1.1', 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'],
  ])('a server that %s is no gRPC server, and gets no request', async (_, greeting) => {
    const server = await rawServer((socket) => void socket.write(greeting));
    const dispatcher = dispatcherTo(settingsOf(server.url, { transport: 'grpc' }));
    expect(await dispatcher.write(writeCall({ timeoutMs: 150 }))).toMatchObject(released);
    expect(Buffer.concat(server.received).toString('latin1')).not.toContain('void_ticket');
  });
});
