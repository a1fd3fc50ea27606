import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import type { CallError } from '../../server/domain/error.ts';
import { answers } from '../support/endpoint.ts';
import { type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

const approver = () => house.principal('approver');
const reject = (actionId: ActionId, reason = 'Not today.') => house.lifecycle.reject(approver(), { actionId, reason });
const amend = (actionId: ActionId, args: unknown, over: { requestId?: string; tool?: string } = {}) =>
  house.lifecycle.amend(
    approver(),
    { actionId, argumentsJson: JSON.stringify(args), requestId: '', tool: '', ...over },
    neverAborted,
  );
const note = (text: string, over = {}) => house.stage({ text }, { tool: 'note', ...over });

test('a rejection is terminal, its reason reaches the model, and nothing runs', async () => {
  const { action } = await note('reject 1');
  const decided = await reject(action.id);
  expect(decided).toMatchObject({
    action: { state: 'REJECTED', rejection: { reason: 'Not today.' } },
    idempotentReplay: false,
  });
  expect(JSON.parse(decided.modelJson)).toMatchObject({
    state: 'REJECTED',
    error: 'action_rejected',
    message: expect.stringContaining('Not today.'),
  });
  expect(await refusal(house.confirm(action.id))).toMatchObject({ code: 'ACTION_SETTLED', receivedJson: '"REJECTED"' });
  expect(await house.events(action.id)).toEqual(['STAGED', 'REJECTED']);
  expect(house.endpoint.calls.filter((call) => call.actionId === action.id)).toHaveLength(0);
});

test('the same proposal after a rejection is answered with it until it would have expired', async () => {
  const { action } = await note('reject 2');
  await reject(action.id, 'Ask the owner.');
  const again = await note('reject 2');
  expect(again).toMatchObject({ idempotentReplay: true, action: { id: action.id, state: 'REJECTED' } });
  expect(JSON.parse(again.modelJson).message).toContain('Ask the owner.');
  await house.db.query('update action set expires_at = now() where id = $1', [action.id]);
  expect((await note('reject 2')).action.id).not.toBe(action.id);
});

test('the same rejection again is replayed; with another reason it is refused', async () => {
  const { action } = await note('reject 3');
  await reject(action.id, 'a');
  expect(await reject(action.id, 'a')).toMatchObject({ idempotentReplay: true });
  expect(await refusal(reject(action.id, 'b'))).toMatchObject({ code: 'ACTION_SETTLED' });
  expect(await house.events(action.id)).toEqual(['STAGED', 'REJECTED']);
});

test('what is under way, settled or expired cannot be rejected', async () => {
  const gate = Promise.withResolvers<void>();
  const { action } = await note('reject 4');
  const before = house.endpoint.calls.length;
  house.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{}');
  });
  const confirm = house.confirm(action.id);
  await house.endpoint.arrived(before + 1);
  expect(await refusal(reject(action.id))).toMatchObject({ code: 'CONFIRM_IN_FLIGHT' });
  expect(await refusal(amend(action.id, { text: 'x' }))).toMatchObject({ code: 'CONFIRM_IN_FLIGHT' });
  gate.resolve();
  await confirm;
  expect(await refusal(reject(action.id))).toMatchObject({ code: 'ACTION_SETTLED' });
  const late = await note('reject 5');
  await house.db.query('update action set expires_at = now() where id = $1', [late.action.id]);
  expect(await refusal(reject(late.action.id))).toMatchObject({ code: 'ACTION_NOT_FOUND' });
});

test('a confirm, a rejection and an amendment at once: one of them wins, and the record says which', async () => {
  for (let round = 0; round < 5; round++) {
    const { action } = await note(`race ${round}`);
    const outcomes = await Promise.all(
      [house.confirm(action.id), reject(action.id), amend(action.id, { text: `race ${round} amended` })].map((call) =>
        call.then(
          () => 'won',
          (error: CallError) => error.code,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    const { state } = await house.row(action.id);
    expect(['SUCCEEDED', 'REJECTED', 'SUPERSEDED'][outcomes.indexOf('won')]).toBe(state);
  }
});

test("an amendment makes a new action in the old one's place; the old id says where to go", async () => {
  const { action } = await note('amend 1', { planId: 'plan-a', userId: 'u_7', scope: 's' });
  const amended = await amend(action.id, { text: 'amend 1, better' });
  expect(amended.superseded).toMatchObject({ id: action.id, state: 'SUPERSEDED', supersededBy: amended.action.id });
  expect(amended.action).toMatchObject({
    ...{
      state: 'PENDING',
      supersedes: action.id,
      planId: 'plan-a',
      userId: 'u_7',
      scope: 's',
      placedAt: action.createdAt,
    },
    ...{
      proposedBy: action.proposedBy,
      amendedBy: { userId: 'user-approver' },
      arguments: '{"text":"amend 1, better"}',
    },
  });
  expect(JSON.parse(amended.modelJson)).toMatchObject({ preview: true, action_id: amended.action.id });
  const dead = await refusal(house.confirm(action.id));
  expect(dead).toMatchObject({ code: 'ACTION_SETTLED', receivedJson: '"SUPERSEDED"' });
  expect(dead.alternatives).toEqual([
    expect.objectContaining({ action: 'get', argumentsJson: JSON.stringify({ action_id: amended.action.id }) }),
  ]);
  expect((await house.confirm(amended.action.id)).status).toBe('EXECUTED');
  expect(await house.events(action.id)).toEqual(['STAGED', 'SUPERSEDED']);
});

test('an amendment goes through every check of a proposal', async () => {
  const { action } = await note('amend 2');
  expect(await refusal(amend(action.id, { text: 5 }))).toMatchObject({ code: 'INVALID_ARGUMENTS', field: 'text' });
  expect(await refusal(amend(action.id, { text: 'x' }, { tool: 'refund' }))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'tool',
  });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test('raising the value over its threshold takes the acknowledgement', async () => {
  const boss = house.principal('approver', { userId: 'boss', credentialId: 'key-boss' });
  const { action } = await house.stage({ ticket_id: 'A-1', amount_usd: 10 }, { tool: 'refund' });
  const amended = await amend(action.id, { ticket_id: 'A-1', amount_usd: 80 });
  expect(JSON.parse(amended.modelJson)).toMatchObject({ acknowledgement_required: true });
  expect(await refusal(house.confirm(amended.action.id, {}, boss))).toMatchObject({
    code: 'RISK_ACKNOWLEDGEMENT_REQUIRED',
  });
  expect((await house.confirm(amended.action.id, { acknowledgeHighRisk: true }, boss)).status).toBe('EXECUTED');
});

test('while an attempt is in doubt nothing is amended: the new key could do it once more', async () => {
  const { action } = await note('amend 3');
  house.endpoint.answerNext(answers.http(500, 'broken'));
  await house.confirm(action.id);
  expect(await refusal(amend(action.id, { text: 'amend 3 b' }))).toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', effect: 'UNKNOWN', version: 3 });
});

test('an amendment whose answer was lost can be repeated, with a request id or without', async () => {
  const one = await note('amend 4');
  const first = await amend(one.action.id, { text: 'amend 4 b' }, { requestId: 'am-4' });
  expect(await amend(one.action.id, { text: 'amend 4 b' }, { requestId: 'am-4' })).toMatchObject({
    idempotentReplay: true,
    action: { id: first.action.id },
  });
  expect(await amend(one.action.id, { text: 'amend 4 b' })).toMatchObject({
    idempotentReplay: true,
    action: { id: first.action.id },
  });
  expect(await refusal(amend(one.action.id, { text: 'amend 4 c' }))).toMatchObject({ code: 'ACTION_SETTLED' });
  expect(await refusal(amend(first.action.id, { text: 'amend 4 d' }, { requestId: 'am-4' }))).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
});

test('the intent goes with the amendment: the first text is free again, the new one is held', async () => {
  const { action } = await note('amend 5');
  const amended = await amend(action.id, { text: 'amend 5 b' });
  expect((await note('amend 5 b')).action.id).toBe(amended.action.id);
  const fresh = await note('amend 5');
  expect(fresh.idempotentReplay).toBe(false);
  expect(await refusal(amend(fresh.action.id, { text: 'amend 5 b' }))).toMatchObject({ code: 'INTENT_HELD' });
  expect(await house.row(fresh.action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test('the proposer still sees the action that stands in its place', async () => {
  const { action } = await note('amend 6');
  const amended = await amend(action.id, { text: 'amend 6 b' });
  const seen = await house.lifecycle.get(house.principal('agent'), { by: 'action-id', actionId: amended.action.id });
  expect(seen.action.id).toBe(amended.action.id);
});
