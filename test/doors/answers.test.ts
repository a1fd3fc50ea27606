import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import { attemptOutcomes, reversibles, risks, states } from '../../server/domain/action.ts';
import { effects } from '../../server/domain/effect.ts';
import { confirmStatuses } from '../../server/lifecycle/lifecycle.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId, confirmed, result, settledAction, shown } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close(1000));

/** The sample action in the contract's JSON, written out by hand. */
const wireAction = {
  id: actionId,
  tenantId: 'acme',
  scope: 'store-12',
  userId: 'u_7',
  tool: 'void_ticket',
  argumentsJson: '{"amount":12345678901234567000,"ticket_id":"T-4417"}',
  previewDigest: `sha256:${'ab'.repeat(32)}`,
  planId: 'plan-1',
  summary: 'Void ticket T-4417',
  risk: 'RISK_ELEVATED',
  reversible: 'REVERSIBLE_NO',
  acknowledgementRequired: true,
  acknowledgementReasons: ['The tool is declared elevated risk.'],
  state: 'ACTION_STATE_SUCCEEDED',
  effect: 'EFFECT_APPLIED',
  version: '9007199254740991',
  attemptsUsed: 2,
  attemptsAllowed: 3,
  attempts: [
    {
      number: 1,
      startedAt: '2026-08-20T18:41:07.123Z',
      finishedAt: '2026-08-20T18:41:27.124Z',
      outcome: 'ATTEMPT_OUTCOME_NO_ANSWER',
      effect: 'EFFECT_UNKNOWN',
      error: { code: 'OUTCOME_INDETERMINATE', message: 'No answer came.', effect: 'EFFECT_UNKNOWN' },
      deadlineAt: '2026-08-20T18:41:27.123Z',
    },
    {
      number: 2,
      startedAt: '2026-08-20T18:45:00Z',
      finishedAt: '2026-08-20T18:45:00.250Z',
      outcome: 'ATTEMPT_OUTCOME_SUCCEEDED',
      effect: 'EFFECT_APPLIED',
      deadlineAt: '2026-08-20T18:45:20Z',
    },
  ],
  resultJson: '{"receipt": 9007199254740993, "note":"\\u0000"}',
  needsAttention: true,
  createdAt: '2026-08-20T18:40:00.001Z',
  expiresAt: '2026-08-20T18:55:00.001Z',
  claimedAt: '2026-08-20T18:45:00Z',
  settledAt: '2026-08-20T18:45:00.250Z',
  proposedBy: { credentialId: 'cred-agent', userId: 'model' },
  confirmedBy: { credentialId: 'cred-b', userId: 'bob' },
};
const modelJson = '{"state":"SUCCEEDED"}';
const key = { case: 'actionId' as const, value: actionId };

test.each(protocols)('every answer arrives whole, the result byte for byte, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const agent = { headers: keyOf('agent') };
  const answers = [
    await client.call('stage', { tool: 't' }, agent),
    await client.call('confirm', { actionId }, { headers: keyOf('approver') }),
    await client.call('get', { key }, agent),
    await client.call('replay', { key }, agent),
  ];
  client.close();
  expect(answers.map(({ response }) => response)).toEqual([
    { action: wireAction, modelJson, idempotentReplay: true },
    { status: 'CONFIRM_STATUS_EXECUTED', action: wireAction, resultJson: result, modelJson },
    { action: wireAction, modelJson },
    { action: wireAction, resultJson: result, modelJson, idempotentReplay: true },
  ]);
});

test.each(protocols)('an action fresh from its proposal leaves out what has not happened, by %s', async (protocol) => {
  const fresh: Action = {
    ...settledAction,
    scope: '',
    userId: '',
    risk: 'normal',
    reversible: null,
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    attempts: [],
    resultAttempt: null,
    settledAt: null,
  };
  const cut = await openDoors();
  cut.script.replay = async () => ({ action: fresh, error: null, result: null, modelJson });
  const client = clientOf(protocol, cut);
  const seen = await client.call('replay', { key }, { headers: keyOf('operator') });
  client.close();
  await cut.close(1000);
  const { id, tenantId, tool, argumentsJson, previewDigest, planId, summary, createdAt, expiresAt, proposedBy } =
    wireAction;
  expect(seen.response).toEqual({
    action: {
      ...{ id, tenantId, tool, argumentsJson, previewDigest, planId, summary, createdAt, expiresAt, proposedBy },
      risk: 'RISK_NORMAL',
      state: 'ACTION_STATE_PENDING',
      effect: 'EFFECT_NONE',
      version: '1',
      attemptsAllowed: 3,
    },
    modelJson,
  });
});

test('every word of the domain has its name on the wire', async () => {
  const cut = await openDoors();
  const client = clientOf('connect+json', cut);
  const show = async (part: Partial<Action>, status = confirmed.status) => {
    cut.script.confirm = async () => ({ ...confirmed, status, action: { ...settledAction, ...part } });
    const { response } = await client.call('confirm', { actionId }, { headers: keyOf('approver') });
    return response;
  };
  for (const state of states)
    expect(await show({ state })).toMatchObject({ action: { state: `ACTION_STATE_${state}` } });
  for (const effect of effects)
    expect(await show({ effect })).toMatchObject({ action: { effect: `EFFECT_${effect}` } });
  for (const risk of risks)
    expect(await show({ risk })).toMatchObject({ action: { risk: `RISK_${risk.toUpperCase()}` } });
  for (const reversible of reversibles)
    expect(await show({ reversible })).toMatchObject({
      action: { reversible: `REVERSIBLE_${reversible.toUpperCase()}` },
    });
  for (const status of confirmStatuses)
    expect(await show({}, status)).toMatchObject({ status: `CONFIRM_STATUS_${status}` });
  for (const outcome of attemptOutcomes)
    expect(await show({ attempts: settledAction.attempts.map((each) => ({ ...each, outcome })) })).toMatchObject({
      action: { attempts: [{ outcome: `ATTEMPT_OUTCOME_${outcome}` }, { outcome: `ATTEMPT_OUTCOME_${outcome}` }] },
    });
  await cut.close(1000);
});

test.each(protocols)('why an action did not succeed is in the answer and in the action, by %s', async (protocol) => {
  const error = { code: 'till_closed', message: 'The till is closed.', effect: 'NONE', retryable: true } as const;
  const cut = await openDoors();
  cut.script.confirm = async () => ({ ...confirmed, status: 'REFUSED', result: null, error });
  cut.script.get = async () => ({ ...shown, error });
  const client = clientOf(protocol, cut);
  const wire = { code: 'till_closed', message: 'The till is closed.', effect: 'EFFECT_NONE', retryable: true };
  const refused = await client.call('confirm', { actionId }, { headers: keyOf('approver') });
  expect(refused.response).toMatchObject({ status: 'CONFIRM_STATUS_REFUSED', error: wire, action: { error: wire } });
  expect((await client.call('get', { key }, { headers: keyOf('approver') })).response).toMatchObject({
    action: { error: wire },
  });
  client.close();
  await cut.close(1000);
});

test.each(protocols)('answers of megabytes pass, by %s', async (protocol) => {
  const large = JSON.stringify('é'.repeat(3_000_000));
  const cut = await openDoors();
  cut.script.replay = async () => ({ ...shown, result: large });
  const client = clientOf(protocol, cut);
  const seen = await client.call('replay', { key }, { headers: keyOf('agent') });
  client.close();
  await cut.close(1000);
  expect(seen.code).toBe(0);
  expect(seen.response).toMatchObject({ resultJson: large });
});

test.each(protocols)(
  'good and bad answers carry a request id: the caller’s own, or one that was made, by %s',
  async (protocol) => {
    const client = clientOf(protocol, doors);
    const own = { 'x-request-id': 'trace-7' };
    const good = await client.call('get', { key }, { headers: { ...keyOf('agent'), ...own } });
    expect(good).toMatchObject({ code: 0, headers: own });
    const bad = await client.call('confirm', { actionId }, { headers: { ...keyOf('agent'), ...own } });
    expect(bad).toMatchObject({ code: Code.PermissionDenied, headers: own });
    const made = await client.call('get', { key }, { headers: keyOf('agent') });
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    client.close();
  },
);
