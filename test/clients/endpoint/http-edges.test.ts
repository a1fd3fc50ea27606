/** Plain HTTP: the statuses and bodies that somebody with curl sees, and requests that are no calls. */
import { createServer } from 'node:http';
import type { Answered } from '@tether/endpoint';
import { createEndpoint } from '@tether/endpoint';
import { connectHandler } from '@tether/endpoint/connect';
import { fastifyEndpoint } from '@tether/endpoint/fastify';
import { fetchHandler } from '@tether/endpoint/fetch';
import { memoryLedger } from '@tether/endpoint/memory';
import { nodeHandler } from '@tether/endpoint/node';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { overFetch, overHttp, servers } from './servers.ts';

// That the ledger is for trials is known here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

function open(options: { readonly now?: () => number } = {}) {
  const answered: Answered[] = [];
  const endpoint = createEndpoint({
    ledger: memoryLedger(),
    signingSecrets: false,
    maxRequestBytes: 2_000,
    tools: {
      look: { handle: (args) => args },
      write: { isWrite: true, handle: (args) => args },
      fail: { handle: () => Promise.reject(new Error('10.0.0.7')) },
    },
    onAnswered: (each) => answered.push(each),
    ...options,
  });
  return { endpoint, answered };
}

const envelope = (overrides: object = {}) => ({
  ...{ request_id: 'r1', tool: 'look', args: { n: 1 }, tenant: { id: 'acme', scope: '', user_id: '' } },
  ...{
    is_write: false,
    mode: 'read',
    action_id: '',
    attempt: 1,
    deadline: new Date(Date.now() + 60_000).toISOString(),
  },
  ...overrides,
});

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(url, request);
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: await response.text() };
}

const jsonServers = Object.entries(servers).filter(([name]) => !/connect|grpc/.test(name));

describe.each(jsonServers)('behind %s', (_, serve) => {
  test('the answers of all kinds are these', async () => {
    const { endpoint } = open();
    const { url } = await serve(endpoint);
    const json = 'application/json; charset=utf-8';
    expect(await post(url, envelope())).toEqual({ status: 200, type: json, body: '{"n":1}' });
    const unknown = await post(url, envelope({ tool: 'lok' }));
    expect(unknown).toMatchObject({ status: 200, type: json });
    expect(JSON.parse(unknown.body)).toEqual({
      ...{ error: 'unknown_tool', message: 'There is no tool lok here; nothing was done.', field: 'tool' },
      ...{ received: 'lok', accepted: ['look', 'write', 'fail'], effect: 'none', retryable: false },
    });
    const late = await post(url, envelope({ deadline: '2026-01-01T00:00:00Z' }));
    expect(late).toMatchObject({ status: 425, type: json });
    expect(JSON.parse(late.body)).toMatchObject({ error: 'past_deadline' });
    const failed = await post(url, envelope({ tool: 'fail' }));
    expect(failed).toMatchObject({ status: 500, type: json });
    expect(JSON.parse(failed.body)).toMatchObject({ error: 'internal' });
    expect(failed.body).not.toContain('10.0.0.7');
    const { args: _args, deadline: _deadline, ...probe } = envelope({ tool: 'write', is_write: true, mode: 'probe' });
    expect(await post(url, probe)).toEqual({ status: 200, type: json, body: '{"disposition":"not_executed"}' });
  });

  test.each<[string, unknown, string | undefined]>([
    ['no JSON', 'no json', undefined],
    ['nothing', '', undefined],
    ['a list', [], undefined],
    ['no request_id', envelope({ request_id: undefined }), 'request_id'],
    ['another key in the header', envelope({ request_id: 'r2' }), 'request_id'],
    ['no tool', envelope({ tool: 7 }), 'tool'],
    ['no mode', envelope({ mode: undefined }), 'mode'],
    ['a mode that does not exist', envelope({ mode: 'write' }), 'mode'],
    ['arguments that are no object', envelope({ args: [1] }), 'args'],
    ['no arguments', envelope({ args: undefined }), 'args'],
    ['attempt 0', envelope({ attempt: 0 }), 'attempt'],
    ['an attempt that is a text', envelope({ attempt: '1' }), 'attempt'],
    ['no deadline', envelope({ deadline: undefined }), 'deadline'],
    ['a deadline that is no time', envelope({ deadline: 'tomorrow' }), 'deadline'],
  ])('%s is no call, and told so', async (_, body, field) => {
    const { endpoint, answered } = open();
    const { url } = await serve(endpoint);
    const { status, body: text } = await post(url, body, { 'x-tether-idempotency-key': 'r1' });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({ error: 'malformed_call', message: expect.any(String), field });
    expect(answered).toMatchObject([{ outcome: 'malformed' }]);
  });

  test('a request that is too large is turned away', async () => {
    const { endpoint, answered } = open();
    const { url } = await serve(endpoint);
    expect((await post(url, envelope({ args: { text: 'x'.repeat(100_000) } }))).status).toBe(413);
    expect(answered).toEqual([]);
  });

  test('another content type is read all the same: the signature says what it is worth', async () => {
    const { endpoint } = open();
    const { url } = await serve(endpoint);
    expect(await post(url, envelope(), { 'content-type': 'text/plain' })).toMatchObject({ status: 200 });
  });
});

test('a request that is no POST is told so', async () => {
  const { endpoint } = open();
  const overNode = await overHttp(nodeHandler(endpoint), 'json', '/');
  const overHono = await overFetch(fetchHandler(endpoint), 'json', '/');
  for (const { url } of [overNode, overHono]) expect((await fetch(url)).status).toBe(405);
});

describe('a body that was parsed away is told to whoever calls and whoever looks into the log', () => {
  const told = { status: 415, body: expect.stringContaining('body_parsed_away') };

  test('by express.json() in front', async () => {
    const { endpoint, answered } = open();
    const app = express();
    app.use(express.json());
    app.post('/tools', nodeHandler(endpoint));
    app.use('/rpc', connectHandler(endpoint));
    const { url } = await overHttp(app, 'json', '');
    const response = await post(`${url}/tools`, envelope());
    expect(response).toMatchObject(told);
    expect(response.body).toContain('before `express.json()`');
    expect(answered).toMatchObject([{ outcome: 'failed', error: { message: expect.stringContaining('express.raw') } }]);
    const rpc = await post(`${url}/rpc/tether.v1.ToolEndpoint/Invoke`, {});
    expect(rpc).toMatchObject({ status: 501, body: expect.stringContaining('unread') });
  });

  test('by a handler of Hono in front', async () => {
    const { endpoint } = open();
    const app = new Hono();
    app.use(async (c, next) => {
      await c.req.json();
      await next();
    });
    app.post('/tools', (c) => fetchHandler(endpoint)(c.req.raw));
    const { url } = await overFetch((request) => app.fetch(request), 'json', '/tools');
    expect(await post(url, envelope())).toMatchObject(told);
  });

  test('platforms that keep the bytes beside what they parsed are understood', async () => {
    const { endpoint } = open();
    const server = express();
    server.use(express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }));
    server.post('/tools', nodeHandler(endpoint));
    const { url } = await overHttp(server, 'json', '/tools');
    expect(await post(url, envelope())).toMatchObject({ status: 200, body: '{"n":1}' });
  });
});

test('the other routes of a Fastify server keep their parsers', async () => {
  const app = fastify();
  app.post('/other', async ({ body }) => ({ parsed: body }));
  await app.register(fastifyEndpoint(open().endpoint), { prefix: '/tools' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  expect((await post(`${app.listeningOrigin}/other`, { a: 1 })).body).toBe('{"parsed":{"a":1}}');
  expect((await post(`${app.listeningOrigin}/tools`, envelope())).body).toBe('{"n":1}');
});

test('a caller that breaks off in the middle of its request does no harm', async () => {
  const { endpoint, answered } = open();
  const handler = nodeHandler(endpoint);
  const gone = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on('close', () => gone.resolve());
    handler(request, response);
    request.once('data', () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"request_id":')),
  });
  const request = { method: 'POST', body, duplex: 'half' } as const;
  await expect(fetch(`http://127.0.0.1:${port}/`, request)).rejects.toThrow();
  await gone.promise;
  expect(answered).toEqual([]);
});

test('a log that fails changes no answer', async () => {
  const complained = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const endpoint = createEndpoint({
    signingSecrets: false,
    tools: { look: { handle: (args) => args } },
    onAnswered: () => {
      throw new Error('disk full');
    },
  });
  const { url } = await overHttp(nodeHandler(endpoint), 'json', '/');
  expect(await post(url, envelope())).toMatchObject({ status: 200 });
  expect(complained.mock.calls.flat().join(' ')).toContain('disk full');
});

test('a write without a ledger is no endpoint', () => {
  const tools = { pay: { isWrite: true, handle: () => ({}) } } as const;
  expect(() => createEndpoint({ tools, signingSecrets: false })).toThrow(/pay is a write, and there is no ledger/);
});

test('a read has no transaction to write in', async () => {
  const endpoint = createEndpoint({
    signingSecrets: false,
    // @ts-expect-error: only a write is handed one
    tools: { look: { handle: (_args, call) => ({ tx: call.tx ?? 'none' }) } },
  });
  const { url } = await overHttp(nodeHandler(endpoint), 'json', '/');
  expect(await post(url, envelope())).toMatchObject({ body: '{"tx":"none"}' });
});
