import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import { attemptOutcomes, reversibles, risks, states, verificationStates } from '../../server/domain/action.ts';
import { effects } from '../../server/domain/effect.ts';
import { confirmStatuses } from '../../server/lifecycle/lifecycle.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId, confirmed, result, settledAction, shown } from './scripted-lifecycle.ts';
import { wireAction } from './wire-action.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close(1000));

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
    value: null,
    fourEyes: false,
    precondition: null,
    verification: null,
    rejection: null,
    supersedes: null,
    supersededBy: null,
    amendedBy: null,
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
      placedAt: wireAction.placedAt,
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
  for (const state of verificationStates)
    expect(await show({ verification: { state, reason: '', at: null } })).toMatchObject({
      action: { verification: { state: `VERIFICATION_STATE_${state}` } },
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
