import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createConnectTransport } from '@connectrpc/connect-web';
import { createTetherClient, type TetherClient } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { server as certificate } from '../../dispatch/certificates.ts';
import { failureOf } from './failure-of.ts';

const actionId = '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33';
const retry = { repeats: 2, baseDelayMs: 1 };

const protocols = {
  connect: (url: string) => createTetherClient({ url, key: 'k', retry }),
  grpc: (url: string) => createTetherClient({ transport: grpcTransport({ url }), key: 'k', retry }),
};

const reads: [string, (client: TetherClient) => Promise<unknown>][] = [
  ['get', (client) => client.get({ actionId })],
  ['list', (client) => client.list()],
  ['listTools', (client) => client.listTools()],
  ['listEvents', (client) => client.listEvents()],
  ['credentials.list', (client) => client.credentials.list()],
  ['watch', (client) => client.watch()[Symbol.asyncIterator]().next()],
];

const writes: [string, (client: TetherClient) => Promise<unknown>][] = [
  ['stage', (client) => client.stage({ tool: 'void_ticket', arguments: {} })],
  ['call', (client) => client.call({ tool: 'void_ticket', arguments: {} })],
  ['confirm', (client) => client.confirm({ actionId, expectedAttempts: 0 })],
  [
    'confirmPlan',
    (client) =>
      client
        .confirmPlan({ entries: [{ actionId, expectedAttempts: 0 }] })
        [Symbol.asyncIterator]()
        .next(),
  ],
  ['reject', (client) => client.reject({ actionId, reason: 'No.' })],
  ['stops.stop', (client) => client.stops.stop({ kind: 'TOOL', name: 'void_ticket' })],
];

/** Where nobody listens: somebody did until just now. */
async function nowhere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that takes what is sent and hangs up, so often; from then on nobody is there. Counts what was sent. */
async function hangingUp(often: number) {
  let heard = 0;
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      heard += 1;
      if (heard === often) server.close();
      socket.destroy();
    });
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, heard: () => heard };
}

test.each([...reads, ...writes])(
  '%s to a port that fetch refuses left nothing behind, and says so',
  async (_, verb) => {
    expect(await failureOf(verb(protocols.connect('http://127.0.0.1:6000')))).toMatchObject({
      code: 'UNAVAILABLE',
      effect: 'NONE',
      message: expect.stringContaining('calls no server on that port'),
    });
  },
);

describe.each(['connect', 'grpc'] as const)('by %s', (protocol) => {
  const open = protocols[protocol];

  test.each([...reads, ...writes])('%s where nobody listens left nothing behind, and says why', async (_, verb) => {
    const error = await failureOf(verb(open(await nowhere())));
    expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 'UNAVAILABLE', answered: false, effect: 'NONE' });
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('ECONNREFUSED') });
  });

  test.each(writes)('%s to a host that does not exist left nothing behind', async (_, verb) => {
    const error = await failureOf(verb(open('http://nobody.invalid:8080')));
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      effect: 'NONE',
      message: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test('a server whose certificate is not believed is sent nothing', async () => {
    let requests = 0;
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, () => {
      requests += 1;
    });
    const client = open(`https://localhost:${await listening(server)}`);
    for (const [, verb] of writes)
      expect(await failureOf(verb(client))).toMatchObject({ effect: 'NONE', answered: false });
    expect(requests).toBe(0);
  });

  test.each(writes)('%s that was sent before the connection broke is UNKNOWN', async (_, verb) => {
    const { url, heard } = await hangingUp(Number.POSITIVE_INFINITY);
    expect(await failureOf(verb(open(url)))).toMatchObject({ answered: false, effect: 'UNKNOWN' });
    expect(heard()).toBeGreaterThan(0);
  });

  test.each(writes)('%s that was sent once stays UNKNOWN when nobody is there for its repeats', async (_, verb) => {
    const { url, heard } = await hangingUp(1);
    expect(await failureOf(verb(open(url)))).toMatchObject({ answered: false, effect: 'UNKNOWN' });
    expect(heard()).toBe(1);
  });

  test.each(reads)('%s whose connection breaks left nothing behind', async (_, verb) => {
    const { url } = await hangingUp(Number.POSITIVE_INFINITY);
    expect(await failureOf(verb(open(url)))).toMatchObject({ answered: false, effect: 'NONE', retryable: true });
  });
});

test('what a browser says of a fetch that failed proves nothing about a write', async () => {
  const fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  const transport = createConnectTransport({ baseUrl: 'http://127.0.0.1', fetch });
  const client = createTetherClient({ transport, key: 'k', retry });
  for (const [, verb] of writes)
    expect(await failureOf(verb(client))).toMatchObject({ effect: 'UNKNOWN', answered: false });
  for (const [, verb] of reads)
    expect(await failureOf(verb(client))).toMatchObject({ effect: 'NONE', answered: false });
});

test('of a host with several addresses every one has to have refused', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  for (const [errors, effect] of [
    [[refused, refused], 'NONE'],
    [[refused, reset], 'UNKNOWN'],
  ] as const) {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError(errors) }));
    const transport = createConnectTransport({ baseUrl: 'http://127.0.0.1', fetch });
    const client = createTetherClient({ transport, key: 'k', retry });
    expect(await failureOf(client.reject({ actionId, reason: 'No.' }))).toMatchObject({ effect });
  }
});
