import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { expect, test } from 'vitest';
import { states } from '../../server/domain/action.ts';
import { clientOf, keyOf, type methods, protocols, type Verb } from './clients.ts';
import { doorsOfThisFile } from './open-doors.ts';
import { requests } from './sample-requests.ts';
import { actionId, newerId, olderId } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

interface Fault {
  readonly message: RegExp;
  readonly field: string;
  readonly receivedJson?: string;
  readonly limitJson?: string;
}

type Request<V extends Verb> = MessageInitShape<(typeof methods)[V]['input']>;
interface Case {
  readonly verb: Verb;
  readonly role: string;
  readonly request: Request<Verb>;
  readonly fault: Fault;
}
const bad = <V extends Verb>(verb: V, role: string, request: Request<V>, fault: Fault): Case => ({
  ...{ verb, role, fault },
  request: request as Request<Verb>,
});

const resolve = { actionId, landed: true, note: 'n', expectedAttempts: 1, observedAt: { seconds: 1n } };
const entries = (...given: Request<'confirm'>[]) => ({ entries: given });

const faults: Readonly<Record<string, Case>> = {
  'a list of a state that is none': bad(
    'list',
    'agent',
    { filter: { states: [1, 0] } },
    { message: /^\/filter\/states\/1 /, field: '/filter/states/1', receivedJson: '"ACTION_STATE_UNSPECIFIED"' },
  ),
  'a watch of a state that nobody knows': bad(
    'watch',
    'agent',
    { filter: { states: [99 as ActionState] } },
    { message: /^\/filter\/states\/0 /, field: '/filter/states/0', receivedJson: '99' },
  ),
  'a filter whose plan is too long': bad(
    'list',
    'operator',
    { filter: { planId: 'x'.repeat(257) } },
    { message: /^\/filter\/plan_id must be at most 256 /, field: '/filter/plan_id', limitJson: '256' },
  ),
  'a filter with a NUL': bad(
    'watch',
    'operator',
    { filter: { scope: 'a\0' } },
    { message: /^\/filter\/scope holds a NUL/, field: '/filter/scope' },
  ),
  'a page of less than nothing': bad(
    'list',
    'agent',
    { pageSize: -1 },
    { message: /^page_size .*; it is -1/, field: 'page_size', limitJson: '0' },
  ),
  'a page that is too large': bad(
    'list',
    'agent',
    { pageSize: 501 },
    { message: /^page_size .*; it is 501/, field: 'page_size', limitJson: '500' },
  ),
  'a page of events that is too large': bad(
    'listEvents',
    'operator',
    { pageSize: 1001 },
    { message: /^page_size .*; it is 1001/, field: 'page_size', limitJson: '1000' },
  ),
  'events of what is no action': bad(
    'listEvents',
    'operator',
    { actionId: 'T-1' },
    { message: /^action_id /, field: 'action_id', receivedJson: '"T-1"' },
  ),
  'a cursor that is too long': bad(
    'watch',
    'agent',
    { cursor: 'x'.repeat(513) },
    { message: /^cursor must be at most 512 /, field: 'cursor', limitJson: '512' },
  ),
  'a plan without entries': bad(
    'confirmPlan',
    'approver',
    { entries: [] },
    { message: /^entries .*at least 1 .*; it has 0/, field: 'entries', limitJson: '1' },
  ),
  'a plan with too many entries': bad(
    'confirmPlan',
    'approver',
    entries(...Array.from({ length: 101 }, () => ({ actionId }))),
    { message: /^entries .*; it has 101/, field: 'entries', limitJson: '100' },
  ),
  'a plan whose second entry names no action': bad('confirmPlan', 'approver', entries({ actionId }, {}), {
    message: /^\/entries\/1\/action_id value is empty/,
    field: '/entries/1/action_id',
    receivedJson: '""',
  }),
  'a plan whose entry expects too many attempts': bad(
    'confirmPlan',
    'approver',
    entries({ actionId, expectedAttempts: 4 }),
    { message: /^\/entries\/0\/expected_attempts /, field: '/entries/0/expected_attempts', limitJson: '3' },
  ),
  'a plan whose entry has a NUL in its key': bad(
    'confirmPlan',
    'approver',
    entries({ actionId }, { actionId: newerId, idempotencyKey: '\0' }),
    { message: /^\/entries\/1\/idempotency_key holds a NUL/, field: '/entries/1/idempotency_key' },
  ),
  'a rejection without a reason': bad('reject', 'approver', { actionId }, { message: /^reason /, field: 'reason' }),
  'a rejection with too long a reason': bad(
    'reject',
    'approver',
    { actionId, reason: 'x'.repeat(2001) },
    { message: /^reason .*; it has 2001 characters/, field: 'reason', limitJson: '2000' },
  ),
  'a rejection with a NUL in its reason': bad(
    'reject',
    'approver',
    { actionId, reason: 'no\0' },
    { message: /^reason holds a NUL/, field: 'reason' },
  ),
  'a rejection of nothing': bad(
    'reject',
    'approver',
    { reason: 'No.' },
    { message: /^action_id /, field: 'action_id' },
  ),
  'an amendment of nothing': bad('amend', 'approver', {}, { message: /^action_id /, field: 'action_id' }),
  'an amendment to too long a tool': bad(
    'amend',
    'approver',
    { actionId, tool: 'x'.repeat(129) },
    { message: /^tool /, field: 'tool', limitJson: '128' },
  ),
  'a resolution without a note': bad(
    'resolve',
    'approver',
    { ...resolve, note: '' },
    { message: /^note /, field: 'note' },
  ),
  'a resolution that does not say how many attempts': bad(
    'resolve',
    'approver',
    { ...resolve, expectedAttempts: 0 },
    { message: /^expected_attempts /, field: 'expected_attempts', receivedJson: '0', limitJson: '1' },
  ),
  'a resolution that does not say when': bad(
    'resolve',
    'approver',
    { ...resolve, observedAt: undefined },
    { message: /^observed_at /, field: 'observed_at' },
  ),
  'a resolution whose result is no JSON': bad(
    'resolve',
    'approver',
    { ...resolve, resultJson: '{"a":' },
    { message: /^result_json must be JSON text: /, field: 'result_json' },
  ),
  'a resolution whose result is blank': bad(
    'resolve',
    'approver',
    { ...resolve, resultJson: ' ' },
    { message: /^result_json must be JSON text: /, field: 'result_json' },
  ),
  'a resolution whose result is too large': bad(
    'resolve',
    'approver',
    { ...resolve, resultJson: JSON.stringify('x'.repeat(262_143)) },
    { message: /^result_json /, field: 'result_json', limitJson: '262144' },
  ),
  'a result of what did not land': bad(
    'resolve',
    'approver',
    { ...resolve, landed: false, resultJson: '1' },
    { message: /^result_json goes with a write that landed/, field: 'result_json' },
  ),
  'a probe of nothing': bad('probeNow', 'approver', {}, { message: /^action_id /, field: 'action_id' }),
  'a recheck of nothing': bad('recheck', 'approver', { actionId: '1' }, { message: /^action_id /, field: 'action_id' }),
  'a call of no tool': bad('call', 'agent', {}, { message: /^tool /, field: 'tool', limitJson: '1' }),
  'a call with a ttl of nothing': bad(
    'call',
    'agent',
    { tool: 't', ttl: {} },
    { message: /^ttl must be greater than 0s/, field: 'ttl' },
  ),
};

const cases = protocols.flatMap((protocol) => Object.keys(faults).map((what) => [protocol, what] as const));

function expectFault(seen: { code: number; details: readonly object[] }, fault: Fault) {
  expect(seen.code).toBe(Code.InvalidArgument);
  const message = expect.stringMatching(fault.message);
  expect(seen.details).toMatchObject([{ code: 'INVALID_REQUEST', effect: 1, retryable: false, ...fault, message }]);
  expect(doors.script.calls).toEqual([]);
}

test.each(cases)('by %s, %s is refused, naming the field', async (protocol, what) => {
  const { verb, role, request, fault } = faults[what] ?? expect.fail(`no case ${what}`);
  const client = clientOf(protocol, doors);
  const seen = await client.call(verb, request, { headers: keyOf(role) });
  client.close();
  expectFault(seen, fault);
});

test('a time that is none is refused, where the wire can carry one', async () => {
  const client = clientOf('grpc', doors);
  for (const observedAt of [
    { seconds: 253_402_300_800n },
    { seconds: -62_135_596_801n },
    { seconds: 2n ** 63n - 1n },
    { seconds: 1n, nanos: -1 },
    { seconds: 1n, nanos: 1_000_000_000 },
  ])
    expectFault(await client.call('resolve', { ...resolve, observedAt }, { headers: keyOf('approver') }), {
      message: /^observed_at must be a time of the years 1 to 9999/,
      field: 'observed_at',
    });
  client.close();
});

test.each(protocols)(
  'every time of the years 1 to 9999 reaches the lifecycle, rounded down, by %s',
  async (protocol) => {
    const client = clientOf(protocol, doors);
    const times = [
      { seconds: -62_135_596_800n },
      { seconds: 253_402_300_799n, nanos: 999_999_999 },
      { seconds: 1_787_251_267n, nanos: 123_999_999 },
    ];
    for (const observedAt of times)
      await client.call('resolve', { ...resolve, observedAt }, { headers: keyOf('approver') });
    client.close();
    expect(doors.script.calls.map(({ input }) => (input as { observedAt: Date }).observedAt.toISOString())).toEqual([
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '2026-08-20T18:41:07.123Z',
    ]);
  },
);

test.each(protocols)('every field of a request reaches the lifecycle, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const { PENDING, INDETERMINATE } = ActionState;
  const filter = {
    states: [INDETERMINATE, PENDING, INDETERMINATE],
    planId: 'p',
    scope: '',
    userId: 'u',
    tool: 't',
    needsAttention: true,
  };
  const wanted = { ...filter, states: ['PENDING', 'INDETERMINATE'] };
  const decision = {
    ...{ idempotencyKey: 'k', acknowledgeHighRisk: true, acknowledgeIndeterminate: true },
    ...{ previewDigest: 'd', expectedAttempts: 2 },
  };
  const undecided = {
    ...{ idempotencyKey: '', acknowledgeHighRisk: false, acknowledgeIndeterminate: false },
    ...{ previewDigest: '', expectedAttempts: undefined },
  };
  const proposal = { tool: 't', argumentsJson: '{}', userId: 'u', scope: 's', planId: 'p', requestId: 'r' };
  const odd = 'a\ttab, a \u001b[31m and \u202e';
  const results = { resultJson: '{"n":9007199254740993,"u":"\\u0000"}' };
  const sent: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
    [
      'list',
      () => client.call('list', { filter, pageSize: 7, cursor: 'c' }, agent),
      { filter: wanted, pageSize: 7, cursor: 'c' },
    ],
    ['list', () => client.call('list', { filter: {} }, agent), { filter: {}, pageSize: 0, cursor: '' }],
    ['list', () => client.call('list', {}, agent), { filter: {}, pageSize: 0, cursor: '' }],
    ['watch', () => client.call('watch', { filter, cursor: 'c' }, agent), { filter: wanted, cursor: 'c' }],
    [
      'confirmPlan',
      () => client.call('confirmPlan', entries({ actionId: newerId, ...decision }, { actionId: olderId }), approver),
      [
        { actionId: newerId, ...decision },
        { actionId: olderId, ...undecided },
      ],
    ],
    [
      'reject',
      () => client.call('reject', { actionId: actionId.toUpperCase(), reason: odd }, approver),
      { actionId, reason: odd },
    ],
    [
      'amend',
      () => client.call('amend', { actionId, argumentsJson: '{}', requestId: 'r', tool: 't' }, approver),
      { actionId, argumentsJson: '{}', requestId: 'r', tool: 't' },
    ],
    [
      'resolve',
      () => client.call('resolve', { ...resolve, ...results, note: odd, expectedAttempts: 3 }, approver),
      { ...resolve, ...results, note: odd, expectedAttempts: 3, observedAt: new Date(1000) },
    ],
    [
      'resolve',
      () => client.call('resolve', { ...resolve, landed: false }, approver),
      { ...resolve, landed: false, resultJson: null, observedAt: new Date(1000) },
    ],
    ['probeNow', () => client.call('probeNow', { actionId }, approver), actionId],
    ['recheck', () => client.call('recheck', { actionId }, approver), actionId],
    ['listEvents', () => client.call('listEvents', {}, operator), { actionId: null, pageSize: 0, cursor: '' }],
    [
      'listEvents',
      () => client.call('listEvents', { actionId, pageSize: 9, cursor: 'c' }, operator),
      { actionId, pageSize: 9, cursor: 'c' },
    ],
    ['call', () => client.call('call', { ...proposal, ttl: { nanos: 1 } }, agent), { ...proposal, ttlMs: 1 }],
  ];
  for (const [, call] of sent) await call();
  client.close();
  expect(doors.script.calls.map(({ verb, input }) => [verb, input])).toEqual(
    sent.map(([verb, , input]) => [verb, input]),
  );
});

const agent = { headers: keyOf('agent') };
const approver = { headers: keyOf('approver') };
const operator = { headers: keyOf('operator') };

const plain: readonly (readonly [Verb, string, object])[] = [
  [
    'list',
    '{"filter":{"states":["ACTION_STATE_PENDING","BOGUS"]}}',
    {
      message: expect.stringMatching(
        /^\/filter\/states takes one of ACTION_STATE_PENDING, .*ACTION_STATE_SUPERSEDED; it is "BOGUS"\.$/,
      ),
      field: '/filter/states',
      receivedJson: '"BOGUS"',
      acceptedJson: expect.arrayContaining(states.map((state) => `"ACTION_STATE_${state}"`)),
    },
  ],
  ['list', '{"filter":{"states":[1.5]}}', { field: '/filter/states', receivedJson: '1.5' }],
  ['list', '{"filter":{"scope":7}}', { message: '/filter/scope: expected string, got 7.', field: '/filter/scope' }],
  [
    'list',
    '{"filter":{"state":["x"]}}',
    { message: expect.stringMatching(/^ActionFilter has no field "state"; it has states, /) },
  ],
  ['list', '{"filter":[]}', { message: expect.stringMatching(/^filter cannot be read: /), field: 'filter' }],
  ['list', '{"pageSize":1.5}', { field: 'page_size' }],
  [
    'resolve',
    '{"observedAt":"yesterday"}',
    {
      message: expect.stringMatching(/^observed_at cannot be read: .*like "2026-08-20T18:41:07Z"/),
      field: 'observed_at',
    },
  ],
  ['resolve', '{"observedAt":"10000-01-01T00:00:00Z"}', { field: 'observed_at' }],
];

test.each(plain)('plain JSON: %s of %s is refused, saying what is wrong', async (verb, body, detail) => {
  const role = verb === 'list' ? 'agent' : 'approver';
  const path = `/tether.v1.ActionService/${verb[0]?.toUpperCase()}${verb.slice(1)}`;
  const response = await fetch(`${doors.httpAddress}${path}`, {
    method: 'POST',
    headers: { ...keyOf(role), 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(400);
  const answer = (await response.json()) as { details: readonly { debug: object }[] };
  expect(answer.details).toMatchObject([{ debug: { code: 'INVALID_REQUEST', effect: 'EFFECT_NONE' } }]);
  expect(answer.details[0]?.debug).toMatchObject(detail);
  expect(doors.script.calls).toEqual([]);
});

test('the sample requests are good ones', async () => {
  const client = clientOf('grpc', doors);
  for (const verb of Object.keys(requests) as Verb[]) {
    const seen = await Promise.all(
      ['agent', 'approver', 'operator'].map((role) => client.call(verb, requests[verb], { headers: keyOf(role) })),
    );
    expect(seen.some(({ code }) => code === 0)).toBe(true);
  }
  client.close();
});
