import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { expect, test } from 'vitest';
import { clientOf } from './clients.ts';
import { doorsOfThisFile } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

const service = '/tether.v1.ActionService';
const agent = { authorization: 'Bearer key-agent' };
const json = { ...agent, 'content-type': 'application/json' };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code: string; readonly message: string; readonly details: readonly { value: string }[] };
  /** The detail as its bytes say it, not as the `debug` beside them does. */
  readonly detail: unknown;
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${doors.httpAddress}${path}`, init);
  const body = (await response.json()) as Answer['body'];
  const bytes = Buffer.from(body.details?.[0]?.value ?? '', 'base64');
  const detail = toJson(ActionableErrorSchema, fromBinary(ActionableErrorSchema, bytes));
  return { status: response.status, headers: response.headers, body, detail };
}

const stage = (body: RequestInit['body'], headers: Readonly<Record<string, string>> = json) =>
  ask(`${service}/Stage`, { method: 'POST', headers, body });

function expectInvalid(answer: Answer, detail: object, status = 400) {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.detail).toMatchObject({ code: 'INVALID_REQUEST', effect: 'EFFECT_NONE', ...detail });
  expect(doors.script.calls).toEqual([]);
}

test.each<[string, string | Uint8Array<ArrayBuffer>, object]>([
  ['no body', '', { message: 'The body is not JSON: Unexpected end of JSON input.' }],
  ['no JSON', 'hello', { message: expect.stringMatching(/^The body is not JSON: /) }],
  ['JSON that breaks off', '{"tool":', { message: expect.stringMatching(/^The body is not JSON: /) }],
  ['a list', '[]', { message: expect.stringMatching(/^The request is no StageRequest: /) }],
  ['a number', '1', { message: 'The request is no StageRequest: 1.' }],
  ['null', 'null', { message: 'The request is no StageRequest: null.' }],
  ['a number for a text', '{"tool":1}', { message: 'tool: expected string, got 1.', field: 'tool' }],
  ['an object for a text', '{"tool":"t","argumentsJson":{}}', { field: 'arguments_json' }],
  [
    'an unknown field',
    '{"tool":"t","arguments":"{}"}',
    {
      message: expect.stringMatching(/^StageRequest has no field "arguments"; it has tool, arguments_json, /),
      field: 'arguments',
      acceptedJson: expect.arrayContaining(['"arguments_json"']),
    },
  ],
  ['the same key twice', '{"tool":"t","tool":"u"}', { message: expect.stringMatching(/duplicate object key "tool"/) }],
  [
    'both spellings of a key',
    '{"planId":"t","plan_id":"u"}',
    { message: 'plan_id: set multiple times.', field: 'plan_id' },
  ],
  [
    'a duration without its unit',
    '{"tool":"t","ttl":"5"}',
    { message: 'ttl cannot be read: "5". A duration is written in seconds, like "900s".', field: 'ttl' },
  ],
  ['half a surrogate pair', '{"tool":"\\ud800"}', { field: 'tool' }],
  ['a NUL', '{"tool":"\\u0000"}', { message: expect.stringMatching(/^tool holds a NUL/), field: 'tool' }],
  [
    'a text that is not UTF-8',
    new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    { message: 'The body is not UTF-8.' },
  ],
])('plain JSON: %s is refused, saying what is wrong', async (_, body, detail) => {
  expectInvalid(await stage(body), detail);
});

test('plain JSON: a body beyond the limit is refused with the limit, and the connection lives on or ends cleanly', async () => {
  const body = JSON.stringify({ tool: 't', argumentsJson: 'x'.repeat(1_048_576) });
  expectInvalid(await stage(body), { limitJson: '1048576' });
  const endless = JSON.stringify({ tool: 't', argumentsJson: 'x'.repeat(20_000_000) });
  expectInvalid(await stage(endless), { limitJson: '1048576' });
});

test('plain JSON: a body that unpacks beyond the limit is refused with the limit', async () => {
  const bomb = gzipSync(JSON.stringify({ tool: 't', argumentsJson: 'x'.repeat(50_000_000) }));
  expectInvalid(await stage(bomb, { ...json, 'content-encoding': 'gzip' }), { limitJson: '1048576' });
});

test('plain JSON: a packed body that is damaged, or packed in an unknown way, is refused', async () => {
  expectInvalid(await stage('not gzip', { ...json, 'content-encoding': 'gzip' }), {
    message: 'The request is no StageRequest: decompression failed.',
  });
  const answer = await stage('{}', { ...json, 'content-encoding': 'zstd' });
  expectInvalid(answer, { message: expect.stringMatching(/unknown compression "zstd".*gzip,br/) }, 501);
});

test('plain JSON: arguments of 256 KiB pass from an encoder that escapes all beyond ASCII', async () => {
  const argumentsJson = `{"note":"${'é'.repeat(131_066)}"}`;
  const body = JSON.stringify({ tool: 't', argumentsJson }).replaceAll('é', '\\u00e9');
  expect(Buffer.byteLength(argumentsJson)).toBeGreaterThanOrEqual(262_143);
  expect((await stage(body)).status).toBe(200);
  expect(doors.script.calls).toMatchObject([{ input: { argumentsJson } }]);
});

test('plain JSON: both spellings of a field are read, and the answer is plain JSON', async () => {
  for (const body of ['{"tool":"t","user_id":"u","ttl":"1.5s"}', '{"tool":"t","userId":"u","ttl":"1.500s"}'])
    expect(await stage(body)).toMatchObject({ status: 200, body: { action: { id: actionId } } });
  expect(doors.script.calls).toMatchObject([
    { input: { userId: 'u', ttlMs: 1500 } },
    { input: { userId: 'u', ttlMs: 1500 } },
  ]);
});

test.each([
  ['a wrong content type', { 'content-type': 'application/x-www-form-urlencoded' }, /application\/json/],
  ['gRPC', { 'content-type': 'application/grpc' }, /gRPC itself is served on a port of its own/],
  ['gRPC-Web as text', { 'content-type': 'application/grpc-web-text' }, /application\/grpc-web\+proto/],
  ['a streaming content type', { 'content-type': 'application/connect+json' }, /application\/json/],
])('%s is told which there are', async (_, headers, message) => {
  const answer = await stage('{}', { ...agent, ...headers });
  expectInvalid(
    answer,
    { message: expect.stringMatching(message), acceptedJson: expect.arrayContaining(['"application/json"']) },
    415,
  );
});

test('an RPC that is called within the plain JSON door is told to leave the /v1 off', async () => {
  const answer = await ask(`/v1${service}/Get`, { method: 'POST', headers: json, body: '{}' });
  expectInvalid(
    answer,
    {
      message: `${service}/Get has no /v1 before it: that is where the plain JSON door begins. Leave /v1 off the URL that the client is given.`,
      field: 'path',
      receivedJson: JSON.stringify(`/v1${service}/Get`),
      acceptedJson: [JSON.stringify(`${service}/Get`)],
    },
    404,
  );
  expect(answer.body.code).toBe('unimplemented');
});

test('a path with nothing behind it is told what there is', async () => {
  for (const path of ['/', '/tether.v1.ActionService/Stages', '/tether.v1.ActionService/Stage/', '/../x', '//', '/%00'])
    expectInvalid(
      await ask(path, { method: 'POST', headers: json, body: '{}' }),
      {
        message: expect.stringMatching(/\/healthz, \/readyz.* and \/<service>\/<rpc> of tether\.v1\.ActionService, /),
        field: 'path',
        acceptedJson: expect.arrayContaining([`"${service}/Confirm"`, '"/healthz"']),
      },
      404,
    );
});

test('a wrong method is told which are right', async () => {
  const put = await ask(`${service}/Get`, { method: 'PUT', headers: json, body: '{}' });
  expect(put.headers.get('allow')).toBe('POST, GET');
  expectInvalid(put, { receivedJson: '"PUT"', acceptedJson: ['"POST"', '"GET"'] }, 405);
  const get = await ask(`${service}/Stage?encoding=json&message={}`, { headers: agent });
  expect(get.headers.get('allow')).toBe('POST');
  expectInvalid(get, { receivedJson: '"GET"', acceptedJson: ['"POST"'] }, 405);
});

test('a read may be made by GET, and a bad one is told how', async () => {
  const message = encodeURIComponent(JSON.stringify({ actionId }));
  const good = await fetch(`${doors.httpAddress}${service}/Get?encoding=json&message=${message}`, { headers: agent });
  expect(good.status).toBe(200);
  expect(good.headers.get('cache-control')).toBe('no-store');
  expect(await good.json()).toMatchObject({ action: { id: actionId } });
  doors.script.calls.length = 0;
  for (const query of ['', '?message={}', '?encoding=xml&message={}'])
    expectInvalid(await ask(`${service}/Get${query}`, { headers: agent }), {
      field: 'encoding',
      acceptedJson: ['"json"', '"proto"'],
    });
  expectInvalid(await ask(`${service}/Get?encoding=json`, { headers: agent }), {
    message: expect.stringMatching(/not JSON/),
  });
  expect((await ask(`${service}/Get?encoding=json&message=${message}`)).status).toBe(401);
});

test.each([
  ['Connect', { 'content-type': 'application/proto' }],
  ['gRPC-Web', { 'content-type': 'application/grpc-web+proto' }],
])('bytes that are no message are refused, by %s', async (_, headers) => {
  const garbage = Buffer.from([0, 0, 0, 0, 3, 0x0a, 0x7f, 0x41]);
  const body = headers['content-type'] === 'application/proto' ? garbage.subarray(5) : garbage;
  const response = await fetch(`${doors.httpAddress}${service}/Stage`, {
    method: 'POST',
    headers: { ...agent, ...headers },
    body,
  });
  const answer = Buffer.from(await response.arrayBuffer()).toString('latin1');
  expect(answer).toContain(
    headers['content-type'] === 'application/proto' ? '"code":"invalid_argument"' : 'grpc-status: 3',
  );
  expect(answer).toMatch(/The(%20| )request(%20| )is(%20| )no(%20| )StageRequest/);
  expect(doors.script.calls).toEqual([]);
});

test('a timeout that is none is refused', async () => {
  expectInvalid(await stage('{"tool":"t"}', { ...json, 'connect-timeout-ms': 'soon' }), {
    message: expect.stringMatching(/invalid connect timeout value: soon/),
  });
});

test.each([
  ['connect+json', 'connect-timeout-ms', '9999999999'],
  ['grpc-web', 'grpc-timeout', '99999999H'],
] as const)('a timeout longer than any timer is as good as none, by %s', async (protocol, header, value) => {
  // A timer that overflows fires within a millisecond; these answers take longer.
  doors.script.instead = async () => {
    for (let times = 0; times < 10; times += 1) await fetch(`${doors.httpAddress}/healthz`);
    return undefined;
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('stage', { tool: 't' }, { headers: { ...agent, [header]: value } });
  client.close();
  doors.script.instead = undefined;
  expect(seen).toMatchObject({ code: 0 });
});

/** Sends bytes that no HTTP library would, and reads until the server closes. */
function raw(bytes: string): Promise<string> {
  const socket = connect(doors.httpPort, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['HTTP/2 without a word', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no host', `POST ${service}/Stage HTTP/1.1\r\n\r\n`, 400],
  ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['two lengths', `POST ${service}/Stage HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
])('%s is answered in HTTP, and the server lives on', async (_, bytes, status) => {
  expect(await raw(bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect((await fetch(`${doors.httpAddress}/healthz`)).status).toBe(200);
});

test.each(['Host: a b', 'Host: [', 'Host: :x'])('"%s" is refused, and the server lives on', async (host) => {
  const head = `POST ${service}/Stage HTTP/1.1\r\n${host}\r\nConnection: close\r\nContent-Type: application/json`;
  const answer = await raw(`${head}\r\nAuthorization: Bearer key-agent\r\nContent-Length: 2\r\n\r\n{}`);
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toMatch(/INVALID_REQUEST/);
  expect((await fetch(`${doors.httpAddress}/healthz`)).status).toBe(200);
});

test('a request of HTTP/1.0 without a host is answered, and the server lives on', async () => {
  const head = `POST ${service}/Stage HTTP/1.0\r\nContent-Type: application/json\r\nAuthorization: Bearer key-agent`;
  expect(await raw(`${head}\r\nContent-Length: 12\r\n\r\n{"tool":"t"}`)).toMatch(/^HTTP\/1.1 (200|400) /);
  expect((await fetch(`${doors.httpAddress}/healthz`)).status).toBe(200);
});

test('a connection is kept longer than a load balancer keeps it', async () => {
  const response = await fetch(`${doors.httpAddress}/healthz`);
  expect(await response.json()).toEqual({ status: 'ok' });
  expect(Number(/timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(600);
});

test('a sane request id comes back on every answer, an insane one is replaced', async () => {
  const idOf = async (path: string, id: string) =>
    (
      await fetch(`${doors.httpAddress}${path}`, {
        method: 'POST',
        headers: { ...json, 'x-request-id': id },
        body: '{"tool":"t"}',
      })
    ).headers.get('x-request-id');
  for (const path of [`${service}/Stage`, `${service}/Confirm`, '/nothing', '/healthz']) {
    expect(await idOf(path, 'trace-1:a.b/c=')).toBe('trace-1:a.b/c=');
    for (const insane of ['with space', '<script>', 'x'.repeat(129), ''])
      expect(await idOf(path, insane)).toMatch(/^[0-9a-f-]{36}$/);
  }
});
