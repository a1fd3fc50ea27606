import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Authorization } from '../../server/lifecycle/ports/authorizer.ts';
import { confirmInput, type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

const boss = () => house.principal('approver', { userId: 'boss', credentialId: 'key-boss' });

test.for([
  ['below the threshold', { amount_usd: 49.99 }, false],
  ['at the threshold', { amount_usd: 50 }, true],
  ['above it', { amount_usd: 8500 }, true],
  ['written as a string, so that it cannot be read', { amount_usd: '10' }, true],
  ['null', { amount_usd: null }, true],
  ['not there', {}, true],
] as const)('a value %s: must it be acknowledged?', async ([name, args, asked]) => {
  const { action, modelJson } = await house.stage({ ticket_id: `V-${name}`, ...args }, { tool: 'refund' });
  expect(JSON.parse(modelJson).acknowledgement_required).toBe(asked ? true : undefined);
  if (asked) {
    expect(await refusal(house.confirm(action.id, {}, boss()))).toMatchObject({
      code: 'RISK_ACKNOWLEDGEMENT_REQUIRED',
      message: expect.stringContaining('50 USD'),
      field: 'acknowledge_high_risk',
      alternatives: [{ action: 'confirm', argumentsJson: expect.stringContaining('"acknowledge_high_risk":true') }],
    });
    expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
  }
  expect((await house.confirm(action.id, { acknowledgeHighRisk: asked }, boss())).status).toBe('EXECUTED');
});

test('a second person is neither on whose behalf it was proposed, nor who proposed it', async () => {
  const { action } = await house.stage({ ticket_id: 'F-1', amount_usd: 1 }, { tool: 'refund', userId: 'u_7' });
  const involved = [
    house.principal('approver', { userId: 'u_7' }),
    house.principal('approver', { credentialId: 'key-agent' }),
    house.principal('approver', { userId: 'user-agent' }),
  ];
  for (const person of involved)
    expect(await refusal(house.confirm(action.id, {}, person))).toMatchObject({ code: 'SECOND_PERSON_REQUIRED' });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
  expect((await house.confirm(action.id, {}, boss())).status).toBe('EXECUTED');
});

test('who amended it is no second person either', async () => {
  const { action } = await house.stage({ ticket_id: 'F-2', amount_usd: 1 }, { tool: 'refund' });
  const input = { actionId: action.id, argumentsJson: '{"ticket_id":"F-2","amount_usd":2}', requestId: '', tool: '' };
  const amended = await house.lifecycle.amend(house.principal('approver'), input, neverAborted);
  expect(await refusal(house.confirm(amended.action.id))).toMatchObject({ code: 'SECOND_PERSON_REQUIRED' });
  expect((await house.confirm(amended.action.id, {}, boss())).status).toBe('EXECUTED');
});

test.for([
  ['says no', { kind: 'denied', reason: null }, 'AUTHORIZER_DENIED'],
  ['gives no answer', { kind: 'unavailable' }, 'AUTHORIZER_UNAVAILABLE'],
] as const)('an authorizer that %s refuses this confirm, and the action stays as it is', async ([, answer, code]) => {
  const asked: string[] = [];
  const guarded = house.another({
    authorizer: {
      async authorize({ action }, approver): Promise<Authorization> {
        asked.push(`${action.id} by ${approver.userId}`);
        return answer;
      },
    },
  });
  const { action } = await house.stage({ text: code }, { tool: 'note' });
  const calls = house.endpoint.calls.length;
  const error = await refusal(guarded.confirm(house.principal('approver'), confirmInput(action.id), neverAborted));
  expect(error).toMatchObject({ code, effect: 'NONE' });
  expect(asked).toEqual([`${action.id} by user-approver`]);
  expect(house.endpoint.calls).toHaveLength(calls);
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
  expect((await house.confirm(action.id)).status).toBe('EXECUTED');
});

test("the authorizer's reason reaches the person", async () => {
  const reason = { code: 'shift_lead', message: 'Only a shift lead may.', effect: 'NONE', retryable: false } as const;
  const guarded = house.another({ authorizer: { authorize: async () => ({ kind: 'denied', reason }) } });
  const { action } = await house.stage({ text: 'reason' }, { tool: 'note' });
  const error = await refusal(guarded.confirm(house.principal('approver'), confirmInput(action.id), neverAborted));
  expect(error.message).toContain('Only a shift lead may.');
});

test('the guards come before the authorizer, and the state before the guards', async () => {
  let asked = 0;
  const counting = house.another({
    authorizer: {
      async authorize() {
        asked += 1;
        return { kind: 'allowed' };
      },
    },
  });
  const { action } = await house.stage({ ticket_id: 'G-1', amount_usd: 90 }, { tool: 'refund' });
  await refusal(counting.confirm(boss(), confirmInput(action.id), neverAborted));
  expect(asked).toBe(0);
  await counting.confirm(boss(), confirmInput(action.id, { acknowledgeHighRisk: true }), neverAborted);
  expect(asked).toBe(1);
  await counting.confirm(boss(), confirmInput(action.id, { acknowledgeHighRisk: true }), neverAborted);
  expect(asked).toBe(1);
});
