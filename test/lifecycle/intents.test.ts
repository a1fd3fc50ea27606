import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

const boss = () => house.principal('approver', { userId: 'boss', credentialId: 'key-boss' });
const refund = (args: Record<string, unknown>, over = {}) => house.stage(args, { tool: 'refund', ...over });

test('other arguments under the same declared intent are refused, naming the action and the fields that differ', async () => {
  const { action } = await refund({ ticket_id: 'I-1', amount_usd: 10, note: 'a' });
  const error = await refusal(refund({ ticket_id: 'I-1', amount_usd: 20, note: 'b' }));
  expect(error).toMatchObject({
    code: 'INTENT_HELD',
    effect: 'NONE',
    retryable: false,
    receivedJson: '["/amount_usd","/note"]',
  });
  expect(error.message).toContain(action.id);
  expect(error.alternatives?.map(({ action: move }) => move)).toEqual(['get', 'amend']);
});

test('twenty different texts of one wish at once make one row', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => refund({ ticket_id: 'I-2', amount_usd: n })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await house.db.query(`select 1 from action where arguments like '%"I-2"%'`)).toHaveLength(1);
});

test('after a settlement the wish is held for the declared window: the same is replayed, another is refused, then it is free', async () => {
  const { action } = await refund({ ticket_id: 'I-3', amount_usd: 10 });
  await house.confirm(action.id, {}, boss());
  expect(await refund({ ticket_id: 'I-3', amount_usd: 10 })).toMatchObject({
    idempotentReplay: true,
    action: { id: action.id, state: 'SUCCEEDED' },
  });
  expect(await refusal(refund({ ticket_id: 'I-3', amount_usd: 11 }))).toMatchObject({ code: 'INTENT_HELD' });
  await house.db.query(`update action set settled_at = settled_at - interval '25 hours' where id = $1`, [action.id]);
  expect((await refund({ ticket_id: 'I-3', amount_usd: 11 })).idempotentReplay).toBe(false);
});

test('an expiry is no settlement', async () => {
  const { action } = await refund({ ticket_id: 'I-4', amount_usd: 10 });
  await house.db.query('update action set expires_at = now(), sweep_at = now() where id = $1', [action.id]);
  await house.lifecycle.sweeps.expire();
  expect((await refund({ ticket_id: 'I-4', amount_usd: 11 })).idempotentReplay).toBe(false);
});

test('a refusal is a settlement, and its window holds', async () => {
  const { action } = await refund({ ticket_id: 'I-5', amount_usd: 10 });
  house.endpoint.answerNext(answers.refusal({ message: 'No.' }));
  await house.confirm(action.id, {}, boss());
  expect(await refusal(refund({ ticket_id: 'I-5', amount_usd: 9 }))).toMatchObject({ code: 'INTENT_HELD' });
});

test('an amendment keeps the declared wish', async () => {
  const { action } = await refund({ ticket_id: 'I-6', amount_usd: 10 });
  const input = { actionId: action.id, argumentsJson: '{"ticket_id":"I-6","amount_usd":12}', requestId: '', tool: '' };
  const amended = await house.lifecycle.amend(house.principal('approver'), input, neverAborted);
  const held = await refusal(refund({ ticket_id: 'I-6', amount_usd: 10 }));
  expect(held.message).toContain(amended.action.id);
});

test('a request id is not recorded for a wish with other arguments', async () => {
  await refund({ ticket_id: 'I-7', amount_usd: 10 });
  await refusal(refund({ ticket_id: 'I-7', amount_usd: 11 }, { requestId: 'i-7' }));
  expect(
    await refusal(house.lifecycle.get(house.principal('agent'), { by: 'request-id', requestId: 'i-7' })),
  ).toMatchObject({ code: 'ACTION_NOT_FOUND' });
});

test("another credential's wish is named, and reading it is not called a move", async () => {
  await refund({ ticket_id: 'I-8', amount_usd: 10 });
  const other = house.principal('agent', { credentialId: 'key-b' });
  const error = await refusal(house.stage({ ticket_id: 'I-8', amount_usd: 11 }, { tool: 'refund' }, other));
  expect(error).toMatchObject({ code: 'INTENT_HELD' });
  expect(error.alternatives?.map(({ action: move }) => move)).toEqual(['amend']);
});
