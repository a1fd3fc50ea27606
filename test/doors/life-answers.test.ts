import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeDispositions } from '../../server/lifecycle/ports/dispatcher.ts';
import { eventTypes } from '../../server/lifecycle/ports/events.ts';
import { clientOf, keyOf, protocols, type Verb } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { requests } from './sample-requests.ts';
import { actionId, event, newerId, olderId, result, settledAction, shown } from './scripted-lifecycle.ts';
import { wireAction } from './wire-action.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close(1000));

const modelJson = '{"state":"SUCCEEDED"}';
const decided = { action: wireAction, modelJson, idempotentReplay: true };

const wireEvent = {
  actionId,
  version: '2',
  type: 'ACTION_EVENT_TYPE_CLAIMED',
  fromState: 'ACTION_STATE_PENDING',
  toState: 'ACTION_STATE_EXECUTING',
  effect: 'EFFECT_UNKNOWN',
  attempt: 1,
  actor: { credentialId: 'cred-a', userId: 'ann' },
  previewDigest: settledAction.previewDigest,
  note: 'noted',
  occurredAt: '2026-08-20T18:41:07.123Z',
};

/** Who asks, and what is answered, in the contract's JSON, written out by hand. */
const answers: Readonly<Partial<Record<Verb, readonly [role: string, response: object]>>> = {
  list: ['agent', { actions: [wireAction], nextCursor: 'more' }],
  reject: ['approver', decided],
  amend: ['approver', { ...decided, superseded: { ...wireAction, id: olderId } }],
  resolve: ['approver', decided],
  probeNow: [
    'approver',
    {
      disposition: 'PROBE_DISPOSITION_IN_PROGRESS',
      action: wireAction,
      modelJson,
      nextProbeAt: '2026-08-20T19:00:00Z',
    },
  ],
  recheck: [
    'approver',
    {
      beforeJson: '{"/status":"open"}',
      nowJson: '{"/status":"void"}',
      differences: [
        { pointer: '/status', beforeJson: '"open"', nowJson: '"void"' },
        { pointer: '/total', nowJson: '7' },
      ],
      action: wireAction,
    },
  ],
  listEvents: ['approver', { events: [wireEvent], nextCursor: 'e77.5', hasMore: true }],
  listTools: [
    'agent',
    {
      tools: [
        {
          name: 'get_ticket',
          description: 'One ticket.',
          inputSchemaJson: '{"type":"object","properties":{"ticket_id":{"type":"string"}}}',
          risk: 'RISK_NORMAL',
        },
        {
          name: 'void_ticket',
          description: 'Void an open ticket.',
          inputSchemaJson: '{"type":"object","properties":{"ticket_id":{"type":"string"}}}',
          isWrite: true,
          risk: 'RISK_HIGH',
          reversible: 'REVERSIBLE_NO',
        },
      ],
    },
  ],
  call: ['agent', { modelJson: '{"a": 1}', resultJson: '{"a": 1}', pendingActions: [wireAction] }],
};

/** The same of streams, message by message. */
const streams: Readonly<Partial<Record<Verb, readonly [role: string, messages: readonly object[]]>>> = {
  watch: [
    'operator',
    [
      { snapshot: wireAction, cursor: 'e1.1' },
      { heartbeat: {}, cursor: 'e1.1' },
      { change: { event: wireEvent, action: wireAction }, cursor: 'e77.5' },
    ],
  ],
  confirmPlan: [
    'approver',
    [
      {
        actionId: olderId,
        confirmed: { status: 'CONFIRM_STATUS_EXECUTED', action: wireAction, resultJson: result, modelJson },
      },
      {
        index: 1,
        actionId,
        error: { code: 'ACTION_NOT_FOUND', message: 'There is none.', effect: 'EFFECT_NONE' },
      },
      { index: 2, actionId: newerId, notRun: { reason: 'Entry 1 was refused: ACTION_NOT_FOUND.' } },
    ],
  ],
};

const over = (table: object) =>
  protocols.flatMap((protocol) => (Object.keys(table) as Verb[]).map((verb) => [protocol, verb] as const));

test.each(over(answers))('by %s, the answer of %s arrives whole', async (protocol, verb) => {
  const [role = '', response] = answers[verb] ?? [];
  const client = clientOf(protocol, doors);
  const seen = await client.call(verb, requests[verb], { headers: keyOf(role) });
  client.close();
  expect(seen.code).toBe(0);
  expect(seen.response).toEqual(response);
});

test.each(over(streams))('by %s, the answers of %s arrive whole and in order', async (protocol, verb) => {
  const [role = '', messages] = streams[verb] ?? [];
  const client = clientOf(protocol, doors);
  const seen = await client.call(verb, requests[verb], { headers: { ...keyOf(role), 'x-request-id': 'trace-7' } });
  client.close();
  expect(seen).toMatchObject({ code: 0, headers: { 'x-request-id': 'trace-7' } });
  expect(seen.messages).toEqual(messages);
});

test('a call of a write answers with the action, and one that knows neither with its text alone', async () => {
  const cut = await openDoors();
  const client = clientOf('connect+json', cut);
  const none = { modelJson, error: null, pending: [], idempotentReplay: true };
  cut.script.call = async () => ({ ...none, result: null, action: settledAction });
  const staged = await client.call('call', requests.call, { headers: keyOf('agent') });
  expect(staged.response).toEqual({ modelJson, action: wireAction, idempotentReplay: true });
  cut.script.call = async () => ({ ...none, result: '', action: null });
  const empty = await client.call('call', requests.call, { headers: keyOf('agent') });
  expect(empty.response).toEqual({ modelJson, resultJson: '', idempotentReplay: true });
  client.close();
  await cut.close(1000);
});

test('what an event does not know is left out, and every word of it has its name on the wire', async () => {
  const cut = await openDoors();
  const client = clientOf('connect+json', cut);
  const headers = keyOf('operator');
  const bare = { ...event, from: null, attempt: null, actor: null, note: '', previewDigest: '' };
  cut.script.listEvents = async () => ({
    events: eventTypes.map((type) => ({ ...bare, type })),
    nextCursor: '',
    more: false,
  });
  const { response } = await client.call('listEvents', {}, { headers });
  const { version, toState, effect, occurredAt } = wireEvent;
  expect(response).toEqual({
    events: eventTypes.map((type) => ({
      ...{ actionId, version, toState, effect, occurredAt },
      type: `ACTION_EVENT_TYPE_${type}`,
    })),
  });
  for (const disposition of probeDispositions) {
    cut.script.probeNow = async () => ({ ...shown, disposition, settled: true, nextProbeAt: null });
    const probed = await client.call('probeNow', { actionId }, { headers: keyOf('approver') });
    expect(probed.response).toEqual({
      ...{ action: wireAction, modelJson, settled: true },
      disposition: `PROBE_DISPOSITION_${disposition}`,
    });
  }
  client.close();
  await cut.close(1000);
});

test('a value that cannot be read has no amount, and numbers travel as they stand', async () => {
  const cut = await openDoors();
  const client = clientOf('connect+json', cut);
  const show = async (amountJson: string | null, threshold: number) => {
    const action = { ...settledAction, value: { amountJson, threshold, unit: '' } };
    cut.script.get = async () => ({ ...shown, action });
    const { response } = await client.call('get', requests.get, { headers: keyOf('agent') });
    return response;
  };
  expect(await show(null, 1e21)).toMatchObject({ action: { value: { thresholdJson: '1e+21' } } });
  expect(await show('12.10', 0.1)).toMatchObject({ action: { value: { amountJson: '12.10', thresholdJson: '0.1' } } });
  client.close();
  await cut.close(1000);
});
