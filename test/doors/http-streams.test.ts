import { fromBinary, toJson } from '@bufbuild/protobuf';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { expect, test } from 'vitest';
import { doorsOfThisFile } from './open-doors.ts';
import { actionId, updates } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

const agent = { authorization: 'Bearer key-agent' };
const streaming = { ...agent, 'content-type': 'application/connect+json' };

/** Connect's envelope: a byte of flags (2 ends the stream), the length in four bytes, the message. */
function envelope(text: string, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

function messagesOf(body: Buffer): { readonly flags: number; readonly message: unknown }[] {
  const messages = [];
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1);
    messages.push({ flags: body.readUInt8(at), message: JSON.parse(body.toString('utf8', at + 5, at + 5 + length)) });
    at += 5 + length;
  }
  return messages;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly { readonly flags: number; readonly message: unknown }[];
  /** The detail of the error that ended the stream, as its bytes say it. */
  readonly detail: unknown;
}

async function watch(body: Buffer, headers: Readonly<Record<string, string>> = streaming): Promise<Answer> {
  const init = { method: 'POST', headers, body: new Uint8Array(body) };
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Watch`, init);
  const messages = messagesOf(Buffer.from(await response.arrayBuffer()));
  const end = messages.at(-1)?.message as { error?: { details?: { value: string }[] } };
  const value = end.error?.details?.[0]?.value ?? '';
  const detail = toJson(ActionableErrorSchema, fromBinary(ActionableErrorSchema, Buffer.from(value, 'base64')));
  return { status: response.status, headers: response.headers, messages, detail };
}

test('a stream can be read with nothing but fetch', async () => {
  const { status, headers, messages } = await watch(envelope('{"filter":{"states":["ACTION_STATE_PENDING"]}}'), {
    ...streaming,
    'x-request-id': 'trace-7',
  });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/connect+json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toBe('trace-7');
  expect(messages).toMatchObject([
    { flags: 0, message: { snapshot: { id: actionId }, cursor: 'e1.1' } },
    { flags: 0, message: { heartbeat: {}, cursor: 'e1.1' } },
    { flags: 0, message: { change: { event: { version: '2' } }, cursor: 'e77.5' } },
    { flags: 2, message: {} },
  ]);
  expect(messages.at(-1)?.message).toEqual({});
  expect(doors.script.calls).toMatchObject([{ verb: 'watch', input: { filter: { states: ['PENDING'] }, cursor: '' } }]);
  expect(messages).toHaveLength(updates.length + 1);
});

test.each<[string, Buffer, object]>([
  ['JSON that breaks off', envelope('{"cursor":'), { message: expect.stringMatching(/^The body is not JSON: /) }],
  ['a number for a text', envelope('{"cursor":1}'), { message: 'cursor: expected string, got 1.', field: 'cursor' }],
  [
    'an unknown field',
    envelope('{"cursors":""}'),
    { message: 'WatchRequest has no field "cursors"; it has filter, cursor.', field: 'cursors' },
  ],
  [
    'an unknown field of the filter',
    envelope('{"filter":{"state":[]}}'),
    { message: expect.stringMatching(/^ActionFilter has no field "state"; it has states, /), field: 'state' },
  ],
  ['no message', Buffer.alloc(0), { message: expect.stringMatching(/missing input message/) }],
  ['two messages', Buffer.concat([envelope('{}'), envelope('{}')]), { message: expect.stringMatching(/extra input/) }],
  ['no envelope', Buffer.from('{"cursor":""}'), { effect: 'EFFECT_NONE' }],
  ['half an envelope', envelope('{"cursor":""}').subarray(0, 9), { effect: 'EFFECT_NONE' }],
  ['too large a message', envelope(JSON.stringify({ cursor: 'x'.repeat(1_048_576) })), { limitJson: '1048576' }],
  ['too long a cursor', envelope(JSON.stringify({ cursor: 'x'.repeat(513) })), { field: 'cursor', limitJson: '512' }],
])('a stream whose request is %s ends with an error that says what is wrong', async (_, body, detail) => {
  const answer = await watch(body);
  expect(answer.status).toBe(200);
  expect(answer.messages).toMatchObject([{ flags: 2 }]);
  expect(answer.detail).toMatchObject({ code: 'INVALID_REQUEST', effect: 'EFFECT_NONE', ...detail });
  expect(doors.script.calls).toEqual([]);
});

test('a stranger is turned away before the body is read: what he sends does not matter', async () => {
  const { messages, detail } = await watch(Buffer.from('nonsense'), { 'content-type': 'application/connect+json' });
  expect(messages).toMatchObject([{ flags: 2, message: { error: { code: 'unauthenticated' } } }]);
  expect(detail).toMatchObject({ code: 'UNAUTHENTICATED', field: 'authorization' });
});

const plainRefusals: readonly (readonly [string, RequestInit, number, object])[] = [
  [
    'a content type of single answers',
    { method: 'POST', headers: { ...agent, 'content-type': 'application/json' }, body: '{}' },
    415,
    {
      message: expect.stringMatching(
        /^The content-type must be one of application\/connect\+json, .* with a stream\.$/,
      ),
      field: 'content-type',
    },
  ],
  ['a GET', { headers: agent }, 405, { field: 'method', acceptedJson: ['"POST"'] }],
];

test.each(plainRefusals)('%s to a stream is refused, saying what would do', async (_, init, status, detail) => {
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Watch`, init);
  expect(response.status).toBe(status);
  const { details } = (await response.json()) as { details: readonly { debug: object }[] };
  expect(details).toMatchObject([{ debug: { code: 'INVALID_REQUEST', ...detail } }]);
  expect(doors.script.calls).toEqual([]);
});

test('a content type of streams to a single answer is refused, saying what would do', async () => {
  const init = { method: 'POST', headers: streaming, body: new Uint8Array(envelope('{}')) };
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/List`, init);
  expect(response.status).toBe(415);
  expect(await response.text()).toContain('must be one of application/json, ');
});
