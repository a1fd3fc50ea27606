/** Connect and gRPC with stock clients: statuses, and messages that are no calls. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { type Answered, createEndpoint } from '@tether/endpoint';
import { connectHandler } from '@tether/endpoint/connect';
import { InvokeMode, ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { describe, expect, test } from 'vitest';
import { overHttp, servers } from './servers.ts';

function open() {
  const answered: Answered[] = [];
  const endpoint = createEndpoint({
    signingSecrets: false,
    maxRequestBytes: 2_000,
    tools: {
      look: { handle: (args) => args },
      fail: { handle: () => Promise.reject(new Error('10.0.0.7')) },
    },
    onAnswered: (each) => answered.push(each),
  });
  return { endpoint, answered };
}

const call = (overrides: object = {}) => ({
  ...{ requestId: 'r1', tool: 'look', argumentsJson: '{"n":1}', tenant: { id: 'acme' }, mode: InvokeMode.READ },
  ...{ attempt: 1, deadline: timestampFromDate(new Date(Date.now() + 60_000)), ...overrides },
});

const stock: [string, string, (url: string) => Transport][] = [
  ['Connect', 'connect over node:http', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  [
    'Connect in JSON',
    'connect over hono',
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  ],
  ['gRPC', 'grpc-js', (baseUrl) => createGrpcTransport({ baseUrl })],
];

describe.each(stock)('by %s', (_, server, transportTo) => {
  async function client() {
    const { endpoint, answered } = open();
    const serve = servers[server];
    if (serve === undefined) throw new Error('no such server');
    const { url } = await serve(endpoint);
    return { ...createClient(ToolEndpoint, transportTo(url)), answered };
  }

  async function fault(answer: Promise<unknown>): Promise<[Code, string]> {
    const { code, rawMessage } = ConnectError.from(
      await answer.then(
        () => new Error('answered'),
        (error) => error,
      ),
    );
    return [code, rawMessage];
  }

  test('a read is answered', async () => {
    const { invoke } = await client();
    expect((await invoke(call())).outcome).toEqual({ case: 'resultJson', value: '{"n":1}' });
  });

  test.each<[string, object]>([
    ['request_id', { requestId: '' }],
    ['tool', { tool: '' }],
    ['mode', { mode: InvokeMode.UNSPECIFIED }],
    ['arguments_json', { argumentsJson: '[1]' }],
    ['arguments_json', { argumentsJson: 'no json' }],
    ['attempt', { attempt: 0 }],
    ['deadline', { deadline: undefined }],
  ])('a call without a good %s is INVALID_ARGUMENT', async (field, overrides) => {
    const { invoke, answered } = await client();
    expect(await fault(invoke(call(overrides)))).toEqual([Code.InvalidArgument, expect.stringContaining(field)]);
    expect(answered).toMatchObject([{ outcome: 'malformed' }]);
  });

  test('another key in the metadata is INVALID_ARGUMENT', async () => {
    const { invoke, probe } = await client();
    const headers = { 'X-Tether-Idempotency-Key': 'r2' };
    expect(await fault(invoke(call(), { headers }))).toMatchObject({ 0: Code.InvalidArgument });
    const asked = await fault(probe({ requestId: 'r1', tool: 'look', attempt: 1 }, { headers }));
    expect(asked).toEqual([Code.InvalidArgument, expect.stringContaining('Idempotency-Key')]);
  });

  test('past its deadline it is ABORTED, and what fails is INTERNAL and says nothing', async () => {
    const { invoke } = await client();
    const deadline = timestampFromDate(new Date(0));
    expect(await fault(invoke(call({ deadline })))).toEqual([
      Code.Aborted,
      expect.stringContaining('past its deadline'),
    ]);
    const [code, message] = await fault(invoke(call({ tool: 'fail' })));
    expect(code).toBe(Code.Internal);
    expect(message).not.toContain('10.0.0.7');
  });
});

describe('over Connect', () => {
  const post = (url: string, body: string, type = 'application/proto') =>
    fetch(`${url}/tether.v1.ToolEndpoint/Invoke`, { method: 'POST', body, headers: { 'content-type': type } });

  test('a request that is too large is invalid_argument', async () => {
    const { endpoint, answered } = open();
    const { url } = await overHttp(connectHandler(endpoint), 'connect', '');
    const response = await post(url, 'x'.repeat(100_000));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_argument' });
    expect(answered).toEqual([]);
  });

  test('what is no message runs nothing', async () => {
    const { endpoint, answered } = open();
    const { url } = await overHttp(connectHandler(endpoint), 'connect', '');
    expect((await post(url, '\u00ff\u00ff')).status).toBeGreaterThanOrEqual(400);
    expect((await post(url, '{}', 'text/plain')).status).toBe(415);
    expect(answered).toEqual([]);
  });

  test('another method, and another service, is told so', async () => {
    const { url } = await overHttp(connectHandler(open().endpoint), 'connect', '');
    const response = await fetch(`${url}/tether.v1.Other/Invoke`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(501);
    expect(await response.json()).toEqual({ code: 'unimplemented', message: expect.stringContaining('ToolEndpoint') });
  });
});
