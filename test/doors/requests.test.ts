import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import type { ConfirmRequestSchema, StageRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { expect, test } from 'vitest';
import { clientOf, keyOf, protocols } from './clients.ts';
import { doorsOfThisFile } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

interface Fault {
  readonly message: RegExp;
  readonly field: string;
  readonly receivedJson?: string;
  readonly limitJson?: string;
}

type Stage = MessageInitShape<typeof StageRequestSchema>;
type Confirm = MessageInitShape<typeof ConfirmRequestSchema>;

const long = 'x'.repeat(257);
const stages: Readonly<Record<string, readonly [Stage, Fault]>> = {
  'no tool': [{}, { message: /^tool must be at least 1 /, field: 'tool', receivedJson: '""', limitJson: '1' }],
  'a user id that is too long': [
    { tool: 't', userId: long },
    { message: /^user_id must be at most 256 characters; it has 257/, field: 'user_id', limitJson: '256' },
  ],
  'a scope that is too long': [
    { tool: 't', scope: long },
    { message: /^scope /, field: 'scope', limitJson: '256' },
  ],
  'a plan id that is too long': [
    { tool: 't', planId: long },
    { message: /^plan_id /, field: 'plan_id', limitJson: '256' },
  ],
  'a request id that is too long': [
    { tool: 't', requestId: long },
    { message: /^request_id /, field: 'request_id', limitJson: '256' },
  ],
  'a negative ttl': [
    { tool: 't', ttl: { seconds: -5n } },
    { message: /^ttl must be greater than 0s; it is "-5s"/, field: 'ttl', receivedJson: '"-5s"', limitJson: '"0s"' },
  ],
  'a ttl of nothing': [
    { tool: 't', ttl: {} },
    { message: /^ttl must be greater than 0s/, field: 'ttl', receivedJson: '"0s"' },
  ],
  'a NUL in the arguments': [
    { tool: 't', argumentsJson: '{"a":"\0"}' },
    { message: /^arguments_json holds a NUL character \(at position 6\)/, field: 'arguments_json' },
  ],
  'a NUL in the tool': [{ tool: 't\0' }, { message: /^tool holds a NUL/, field: 'tool' }],
};

const confirms: Readonly<Record<string, readonly [Confirm, Fault]>> = {
  'no action id': [
    {},
    { message: /^action_id value is empty, which is not a valid UUID/, field: 'action_id', receivedJson: '""' },
  ],
  'an action id that is none': [
    { actionId: 'T-4417' },
    { message: /^action_id must be a valid UUID/, field: 'action_id', receivedJson: '"T-4417"' },
  ],
  'more attempts than there are': [
    { actionId, expectedAttempts: 4 },
    { message: /^expected_attempts .*; it is 4/, field: 'expected_attempts', receivedJson: '4', limitJson: '3' },
  ],
  'fewer attempts than none': [
    { actionId, expectedAttempts: -1 },
    { message: /^expected_attempts /, field: 'expected_attempts', receivedJson: '-1', limitJson: '0' },
  ],
  'a key that is too long': [
    { actionId, idempotencyKey: long },
    { message: /^idempotency_key /, field: 'idempotency_key', limitJson: '256' },
  ],
  'a NUL in the key': [
    { actionId, idempotencyKey: 'a\0' },
    { message: /^idempotency_key holds/, field: 'idempotency_key' },
  ],
};

const over = <T>(table: Readonly<Record<string, T>>) =>
  protocols.flatMap((protocol) => Object.keys(table).map((what) => [protocol, what] as const));

function expectFault(seen: { code: number; details: readonly object[] }, fault: Fault | undefined) {
  expect(seen.code).toBe(Code.InvalidArgument);
  expect(seen.details).toMatchObject([
    {
      code: 'INVALID_REQUEST',
      effect: 1,
      retryable: false,
      ...fault,
      message: expect.stringMatching(fault?.message ?? ''),
    },
  ]);
  expect(doors.script.calls).toEqual([]);
}

test.each(over(stages))('by %s, a proposal with %s is refused, naming the field', async (protocol, what) => {
  const client = clientOf(protocol, doors);
  const [request, fault] = stages[what] ?? [{}, undefined];
  const seen = await client.call('stage', request, { headers: keyOf('agent') });
  client.close();
  expectFault(seen, fault);
});

test.each(over(confirms))('by %s, a confirm with %s is refused, naming the field', async (protocol, what) => {
  const client = clientOf(protocol, doors);
  const [request, fault] = confirms[what] ?? [{}, undefined];
  const seen = await client.call('confirm', request, { headers: keyOf('approver') });
  client.close();
  expectFault(seen, fault);
});

test.each(protocols)('a read that names nothing is told what it could name, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  for (const verb of ['get', 'replay'] as const) {
    const seen = await client.call(verb, {}, { headers: keyOf('agent') });
    expectFault(seen, {
      message: /^Exactly one of action_id, idempotency_key and request_id must be given/,
      field: '',
    });
  }
  client.close();
});

test.each(protocols)('a read by an empty key or by what is no id is refused, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const headers = keyOf('agent');
  const empty = await client.call('get', { key: { case: 'idempotencyKey', value: '' } }, { headers });
  expectFault(empty, { message: /^idempotency_key /, field: 'idempotency_key' });
  const none = await client.call('replay', { key: { case: 'actionId', value: '1' } }, { headers });
  expectFault(none, { message: /^action_id /, field: 'action_id', receivedJson: '"1"' });
  client.close();
});

test.each(protocols)('an id in capitals is the same id, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const seen = await client.call('confirm', { actionId: actionId.toUpperCase() }, { headers: keyOf('approver') });
  client.close();
  expect(seen.code).toBe(0);
  expect(doors.script.calls).toMatchObject([{ input: { actionId } }]);
});

test('a duration whose nanoseconds make no sense is refused, where the wire can carry one', async () => {
  const client = clientOf('grpc', doors);
  const headers = keyOf('agent');
  for (const ttl of [{ seconds: 1n, nanos: -5 }, { seconds: 1n, nanos: 2_000_000_000 }, { seconds: 2n ** 63n - 1n }])
    expectFault(await client.call('stage', { tool: 't', ttl }, { headers }), {
      message: /^ttl must be a duration/,
      field: 'ttl',
    });
  client.close();
});

test.each(protocols)('every field of a request reaches the lifecycle, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const proposal = { tool: 't', argumentsJson: '{}', userId: 'u', scope: 's', planId: 'p', requestId: 'r' };
  await client.call('stage', { ...proposal, ttl: { seconds: 1n, nanos: 1 } }, { headers: keyOf('agent') });
  await client.call('stage', { tool: 't' }, { headers: keyOf('agent') });
  const decision = {
    idempotencyKey: 'k',
    acknowledgeHighRisk: true,
    acknowledgeIndeterminate: true,
    previewDigest: 'd',
  };
  await client.call('confirm', { actionId, ...decision, expectedAttempts: 0 }, { headers: keyOf('approver') });
  await client.call('confirm', { actionId }, { headers: keyOf('approver') });
  await client.call('get', { key: { case: 'idempotencyKey', value: 'k' } }, { headers: keyOf('agent') });
  await client.call('replay', { key: { case: 'requestId', value: 'r' } }, { headers: keyOf('agent') });
  await client.call('get', { key: { case: 'actionId', value: actionId } }, { headers: keyOf('agent') });
  client.close();
  const empty = { argumentsJson: '', userId: '', scope: '', planId: '', requestId: '' };
  const undecided = {
    idempotencyKey: '',
    acknowledgeHighRisk: false,
    acknowledgeIndeterminate: false,
    previewDigest: '',
  };
  expect(doors.script.calls.map(({ input }) => input)).toEqual([
    { ...proposal, ttlMs: 1001 },
    { tool: 't', ...empty, ttlMs: undefined },
    { actionId, ...decision, expectedAttempts: 0 },
    { actionId, ...undecided, expectedAttempts: undefined },
    { by: 'idempotency-key', key: 'k' },
    { by: 'request-id', requestId: 'r' },
    { by: 'action-id', actionId },
  ]);
});

test.each(protocols)('arguments of 256 KiB pass, byte for byte, by %s', async (protocol) => {
  // What escapes worst: quotes and backslashes within JSON within JSON.
  const argumentsJson = `{"note": "${'\\"'.repeat(131_066)}"}`;
  expect(Buffer.byteLength(argumentsJson)).toBe(262_144);
  const client = clientOf(protocol, doors);
  const seen = await client.call('stage', { tool: 't', argumentsJson }, { headers: keyOf('agent') });
  client.close();
  expect(seen.code).toBe(0);
  expect(doors.script.calls).toMatchObject([{ input: { argumentsJson } }]);
});

test.each(protocols)('a request beyond the limit is refused with the limit, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const seen = await client.call(
    'stage',
    { tool: 't', argumentsJson: 'x'.repeat(1_048_576) },
    { headers: keyOf('agent') },
  );
  client.close();
  expectFault(seen, { message: /at most 1048576 bytes/, field: '', limitJson: '1048576' });
});

test('far beyond the limit the gRPC library refuses before it holds the message, in the same words', async () => {
  const client = clientOf('grpc', doors);
  const seen = await client.call(
    'stage',
    { tool: 't', argumentsJson: 'x'.repeat(5_000_000) },
    { headers: keyOf('agent') },
  );
  client.close();
  expectFault(seen, { message: /at most 1048576 bytes\. This one is larger/, field: '', limitJson: '1048576' });
});
