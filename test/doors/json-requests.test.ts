import { type IncomingMessage, request as plainRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { askJson, type JsonAnswer } from './json-caller.ts';
import { doorsOfThisFile, openDoors } from './open-doors.ts';
import { actionId, olderId } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

const stage = (body: unknown, headers?: Record<string, string>) =>
  askJson(doors, 'POST', '/v1/actions', { as: 'agent', body, headers });
const confirm = (body: unknown, headers?: Record<string, string>) =>
  askJson(doors, 'POST', `/v1/actions/${actionId}/confirm`, { as: 'approver', body, headers });
const read = (path: string) => askJson(doors, 'GET', path, { as: 'approver' });
/** What reached the lifecycle. */
const input = () => doors.script.calls.at(-1)?.input;

function expectInvalid(answer: JsonAnswer, body: object, status = 400) {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.body).toMatchObject({ errorCode: 'INVALID_REQUEST', effect: 'NONE', retryable: false, ...body });
  expect(doors.script.calls).toEqual([]);
}

test('every field of a proposal arrives, the arguments as they were written', async () => {
  const args = '{ "ticket_id" : "T-\\u0031", "total":1.50, "total":1e400 }';
  const rest = '"userId":"u","scope":"s","planId":"p","requestId":"r","ttlSeconds":1.5';
  expect((await stage(`{"tool":"void_ticket","arguments":${args},${rest}}`)).status).toBe(200);
  expect(input()).toEqual({
    ...{ tool: 'void_ticket', argumentsJson: args, userId: 'u', scope: 's', planId: 'p', requestId: 'r', ttlMs: 1500 },
  });
});

test('null is as good as absent, but where JSON itself is meant', async () => {
  expect((await stage('{"tool":"void_ticket","userId":null,"ttlSeconds":null,"arguments":null}')).status).toBe(200);
  expect(input()).toMatchObject({ userId: '', ttlMs: undefined, argumentsJson: 'null' });
});

test('every field of a decision arrives; what is left out is not', async () => {
  const decision = {
    acknowledgeHighRisk: true,
    acknowledgeIndeterminate: true,
    previewDigest: 'd',
    expectedAttempts: 2,
  };
  await confirm({ idempotencyKey: 'k', ...decision });
  expect(input()).toEqual({ actionId, idempotencyKey: 'k', ...decision });
  await askJson(doors, 'POST', `/v1/actions/${actionId.toUpperCase()}/confirm`, { as: 'approver' });
  expect(input()).toMatchObject({ actionId, idempotencyKey: '', expectedAttempts: undefined });
});

test.each<[string, string, object]>([
  ['no JSON', 'hello', { errorMessage: expect.stringMatching(/^The body is not JSON: /) }],
  ['JSON that breaks off', '{"tool":', { errorMessage: expect.stringMatching(/^The body is not JSON: /) }],
  ['a comment', '{/* no */"tool":"t"}', { errorMessage: expect.stringMatching(/^The body is not JSON: /) }],
  ['two values', '{"tool":"t"}{}', { errorMessage: expect.stringMatching(/^The body is not JSON: /) }],
  ['a list', '[]', { errorMessage: expect.stringMatching(/must be a JSON object.* this is an array/) }],
  ['null', 'null', { errorMessage: expect.stringMatching(/must be a JSON object.* this is null/) }],
  ['a number for a text', '{"tool":1}', { errorMessage: 'tool must be a text; this is a number.', received: 1 }],
  ['a text for a number', '{"tool":"t","ttlSeconds":"9"}', { field: 'ttlSeconds', received: '9' }],
  ['a negative time', '{"tool":"t","ttlSeconds":-1}', { field: 'ttlSeconds' }],
  ['a time without end', '{"tool":"t","ttlSeconds":1e300}', { field: 'ttlSeconds' }],
  ['no tool', '{}', { field: 'tool' }],
  [
    'an unknown field',
    '{"tool":"t","user_id":"u"}',
    {
      errorMessage: expect.stringMatching(/^The body has no field "user_id"; it has tool, arguments, userId, /),
      received: 'user_id',
      accepted: ['tool', 'arguments', 'userId', 'scope', 'planId', 'requestId', 'ttlSeconds'],
    },
  ],
  ['the same key twice', '{"tool":"t","tool":"u"}', { errorMessage: 'The body has "tool" twice: say it once.' }],
  ['one key in two spellings', '{"tool":"t","\\u0074ool":"u"}', { field: 'tool' }],
  [
    'half a surrogate pair',
    '{"tool":"t","userId":"a\\ud800"}',
    { errorMessage: 'userId holds half of a surrogate pair, which is no character.', received: 'a\ud800' },
  ],
  ['nesting without end', `{"tool":"t","arguments":${'['.repeat(90_000)}${']'.repeat(90_000)}}`, {}],
])('%s is refused, and said why', async (_, body, said) => {
  expectInvalid(await stage(body), { status: 'Invalid', ...said });
});

test.each<[string, object, object]>([
  ['a text that says true', { acknowledgeHighRisk: 'true' }, { field: 'acknowledgeHighRisk', received: 'true' }],
  ['more attempts than there are', { expectedAttempts: 4 }, { field: 'expectedAttempts', received: 4, limit: 3 }],
  ['half an attempt', { expectedAttempts: 0.5 }, { field: 'expectedAttempts' }],
  ['the id once more', { actionId }, { received: 'actionId' }],
])('of a decision, %s is refused', async (_, body, said) => {
  expectInvalid(await confirm(body), { status: 'Invalid', actionId, ...said });
});

test('of a plan, what is wrong is said by its place', async () => {
  const ask = (body: unknown) => askJson(doors, 'POST', '/v1/plans/confirm', { as: 'approver', body });
  const decided = { actionId, previewDigest: 'd' };
  expect((await ask({ entries: [decided, { actionId: olderId, idempotencyKey: 'k' }] })).status).toBe(200);
  expect(input()).toMatchObject([decided, { actionId: olderId, idempotencyKey: 'k' }]);
  doors.script.calls.length = 0;
  expectInvalid(await ask({ entries: [decided, { actionId: 1 }] }), { field: '/entries/1/actionId' });
  expectInvalid(await ask({ entries: [{ actionId: 'x' }] }), { field: '/entries/0/actionId' });
  expectInvalid(await ask({ entries: [{ actionId, idempotencyKey: '\ud800' }] }), {
    field: '/entries/0/idempotencyKey',
  });
  expectInvalid(await ask({ entries: [] }), { field: 'entries' });
  expectInvalid(await ask({ entries: {} }), { errorMessage: 'entries must be a list; this is an object.' });
});

test('the Idempotency-Key header and the body may say one thing, never two', async () => {
  await confirm(undefined, { 'Idempotency-Key': 'k 1' });
  expect(input()).toMatchObject({ idempotencyKey: 'k 1' });
  await confirm({ idempotencyKey: 'k' }, { 'idempotency-key': 'k' });
  expect(input()).toMatchObject({ idempotencyKey: 'k' });
  await stage({ tool: 't' }, { 'Idempotency-Key': 'r' });
  expect(input()).toMatchObject({ requestId: 'r' });
  doors.script.calls.length = 0;
  expectInvalid(await confirm({ idempotencyKey: 'a' }, { 'Idempotency-Key': 'b' }), { field: 'idempotencyKey' });
  expectInvalid(await confirm({}, { 'Idempotency-Key': 'ä' }), { field: 'Idempotency-Key' });
  expectInvalid(await confirm({}, { 'Idempotency-Key': '' }), { field: 'Idempotency-Key' });
  expectInvalid(await confirm({}, { 'Idempotency-Key': 'k'.repeat(257) }), { field: 'idempotencyKey' });
});

test.each([
  ['two keys', ['a', 'b']],
  ['one key twice', ['a', 'a']],
])('an Idempotency-Key header with %s is refused, and not joined to a third', async (_, keys) => {
  const headers = {
    authorization: 'Bearer key-approver',
    'content-type': 'application/json',
    'idempotency-key': keys,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const place = `${doors.httpAddress}/v1/actions/${actionId}/confirm`;
    plainRequest(place, { method: 'POST', headers }, resolve).on('error', reject).end('{}');
  });
  const said: unknown = JSON.parse(Buffer.concat(await response.toArray()).toString('utf8'));
  expect(said).toMatchObject({
    errorCode: 'INVALID_REQUEST',
    errorMessage: 'The header Idempotency-Key came 2 times: send it once.',
    field: 'Idempotency-Key',
    received: keys,
    effect: 'NONE',
  });
  expect(response.statusCode).toBe(400);
  expect(doors.script.calls).toEqual([]);
});

test('a query says what to list', async () => {
  expect((await read('/v1/actions?states=PENDING&states=FAILED&scope=&needsAttention=true&pageSize=7')).status).toBe(
    200,
  );
  expect(input()).toEqual({
    filter: { states: ['PENDING', 'FAILED'], scope: '', needsAttention: true },
    pageSize: 7,
    cursor: '',
  });
});

test.each<[string, string, object]>([
  ['an unknown parameter', '?state=PENDING', { received: 'state', accepted: expect.arrayContaining(['states']) }],
  ['an unknown word', '?states=pending', { field: 'states', accepted: expect.arrayContaining(['PENDING']) }],
  ['a parameter twice', '?tool=a&tool=b', { errorMessage: 'tool is in the query 2 times: say it once.' }],
  ['no truth value', '?needsAttention=1', { field: 'needsAttention', accepted: [true, false] }],
  ['no number', '?pageSize=many', { field: 'pageSize' }],
  ['what is no UTF-8', '?planId=%FF', { field: 'query' }],
  ['too many', '?pageSize=501', { field: 'pageSize', limit: 500 }],
])('of a query, %s is refused', async (_, query, said) => {
  expectInvalid(await read(`/v1/actions${query}`), { status: 'Invalid', ...said });
});

test('a lookup takes one key, not none and not two', async () => {
  expectInvalid(await read('/v1/actions/lookup'), {});
  expectInvalid(await read('/v1/actions/lookup?requestId=r&idempotencyKey=k'), {});
  expectInvalid(await read('/v1/actions/lookup?requestId='), { field: 'requestId' });
  expectInvalid(await read(`/v1/actions/lookup?actionId=${actionId}`), { accepted: ['idempotencyKey', 'requestId'] });
});

test('what belongs into the body is not taken from the query', async () => {
  const path = `/v1/actions/${actionId}/confirm?acknowledgeHighRisk=true`;
  expectInvalid(await askJson(doors, 'POST', path, { as: 'approver' }), { field: 'query' });
});

test.each(['nope', '%FF', `${actionId}0`])('an id like %s is refused as one', async (id) => {
  expectInvalid(await read(`/v1/actions/${id}`), { status: 'Invalid' });
});

test('a tool’s name may need escaping', async () => {
  await askJson(doors, 'POST', '/v1/tools/a%2Fb%20c/call', { as: 'agent', body: { arguments: {} } });
  expect(input()).toMatchObject({ tool: 'a/b c' });
});

test.each([
  ['text/plain', 'text/plain'],
  ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
  ['another charset', 'application/json; charset=latin1'],
])('a body of content type %s is refused', async (_, type) => {
  const said = { status: 'UnsupportedMediaType', accepted: ['application/json'] };
  expectInvalid(await stage('{"tool":"t"}', { 'content-type': type }), said, 415);
});

test.each(['application/json; charset=utf-8', 'Application/JSON'])('content type %s is good', async (type) => {
  expect((await stage('{"tool":"t"}', { 'content-type': type })).status).toBe(200);
});

test('a compressed body is refused, and one that is no UTF-8', async () => {
  const send = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const all = { authorization: 'Bearer key-agent', 'content-type': 'application/json', ...headers };
    const response = await fetch(`${doors.httpAddress}/v1/actions`, { method: 'POST', headers: all, body });
    return { status: response.status, headers: response.headers, text: '', body: await response.json() };
  };
  const packed = new Uint8Array(gzipSync('{"tool":"t"}'));
  expectInvalid(await send(packed, { 'content-encoding': 'gzip' }), { field: 'content-encoding' }, 415);
  const broken = Uint8Array.from([...Buffer.from('{"tool":"'), 0xff, ...Buffer.from('"}')]);
  expectInvalid(await send(broken), { errorMessage: 'The body is not UTF-8.' });
});

test('a body beyond the limit is refused, whether its size was said or not', async () => {
  const large = `{"tool":"t","userId":"${'x'.repeat(1_048_576)}"}`;
  const said = { status: 'TooLarge', limit: 1_048_576 };
  expectInvalid(await stage(large), { ...said, received: large.length }, 413);
  const answer = await new Promise<JsonAnswer>((resolve, reject) => {
    const headers = { authorization: 'Bearer key-agent', 'content-type': 'application/json' };
    const sent = plainRequest(`${doors.httpAddress}/v1/actions`, { method: 'POST', headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('utf8');
      const told = new Headers({ 'content-type': response.headers['content-type'] ?? '' });
      resolve({ status: response.statusCode ?? 0, headers: told, text, body: JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.write(large.slice(0, 600_000));
    sent.end(large.slice(600_000));
  });
  expectInvalid(answer, said, 413);
});

test('bodies that were refused hold nothing up when the door closes', async () => {
  const others = await openDoors();
  const large = 'x'.repeat(4_194_304);
  const inPieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 64; at++) controller.enqueue(Buffer.alloc(65_536, 'x'));
      controller.close();
    },
  });
  const headers = { authorization: 'Bearer key-agent', 'content-type': 'application/json' };
  const send = (init: RequestInit & { duplex?: 'half' }) =>
    fetch(`${others.httpAddress}/v1/actions`, { method: 'POST', headers, ...init });
  for (const init of [{ body: large }, { body: inPieces, duplex: 'half' as const }]) {
    const { status, body } = await send(init);
    await body?.cancel();
    expect(status).toBe(413);
  }
  // Far beyond the test's own time: a connection that was waited for would fail it.
  await others.close(600_000);
});

test('a path that there is not says which there are; another verb, which are allowed', async () => {
  const nowhere = await askJson(doors, 'GET', '/v1/nothing');
  expectInvalid(nowhere, { status: 'NotFound', field: 'path', received: '/v1/nothing' }, 404);
  expect(nowhere.body.accepted).toContain('/v1/actions/{id}/confirm');
  const wrong = await askJson(doors, 'DELETE', '/v1/actions');
  expectInvalid(wrong, { status: 'MethodNotAllowed', accepted: ['POST', 'GET'] }, 405);
  expect(wrong.headers.get('allow')).toBe('POST, GET');
  expect((await askJson(doors, 'PUT', `/v1/actions/${actionId}/confirm`)).headers.get('allow')).toBe('POST');
});
