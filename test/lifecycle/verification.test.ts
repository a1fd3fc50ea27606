import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answers, type EndpointAnswer, type EndpointCall } from '../support/endpoint.ts';
import { confirmInput, type House, neverAborted, openHouse } from '../support/house.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
/** What the read answers: before the write, and after it. */
let before: EndpointAnswer;
let after: EndpointAnswer;
let written: boolean;

beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());
beforeEach(() => {
  before = answers.result('{"status":"open","total_usd":1}');
  after = answers.result('{"status":"void","total_usd":1}');
  written = false;
  house.endpoint.answer((call: EndpointCall) => {
    if (call.mode === 'read') return written ? after : before;
    written = true;
    return answers.result('{"voided":true}');
  });
});

let tickets = 0;
function next() {
  tickets += 1;
  return { ticket_id: `W-${tickets}` };
}

test('a write that is seen to have happened is VERIFIED, and the outcome is what it was', async () => {
  const { action } = await house.stage(next());
  const confirmed = await house.confirm(action.id);
  expect(confirmed).toMatchObject({
    status: 'EXECUTED',
    result: '{"voided":true}',
    action: { state: 'SUCCEEDED', verification: { state: 'VERIFIED' } },
  });
  expect(JSON.parse(confirmed.modelJson).verification).toMatchObject({ state: 'VERIFIED' });
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'VERIFIED']);
  expect(await house.row(action.id)).toMatchObject({ needs_attention: false });
});

test.for([
  ['it says still open', answers.result('{"status":"open","total_usd":1}'), /result\.status == "void"/],
  ['it answers with an error', answers.result('{"error":"gone"}'), /gone/],
  ['it cannot be made', answers.http(500), /could not be looked at/],
] as const)(
  'when %s the write is UNVERIFIED with the reason, needs attention, and stays SUCCEEDED',
  async ([, answer, reason]) => {
    after = answer;
    const { action } = await house.stage(next());
    const confirmed = await house.confirm(action.id);
    expect(confirmed).toMatchObject({
      status: 'EXECUTED',
      result: '{"voided":true}',
      action: { state: 'SUCCEEDED', effect: 'APPLIED' },
    });
    expect(confirmed.action.verification).toMatchObject({ state: 'UNVERIFIED', reason: expect.stringMatching(reason) });
    expect(JSON.parse(confirmed.modelJson).verification).toMatchObject({ state: 'UNVERIFIED' });
    const { items } = await house.lifecycle.list(house.principal('operator'), {
      filter: { needsAttention: true },
      pageSize: 0,
      cursor: '',
    });
    expect(items.map((item) => item.action.id)).toContain(action.id);
    expect(house.endpoint.calls.filter((call) => call.actionId === action.id)).toHaveLength(1);
  },
);

test('a confirm that dies before it verifies leaves it due, and the job makes it', async () => {
  const { action } = await house.stage(next());
  const crashing = house.another({
    store: (store) => ({
      ...store,
      apply: (change) => (change.event === 'VERIFIED' ? new Promise(() => undefined) : store.apply(change)),
    }),
  });
  void crashing.confirm(house.principal('approver'), confirmInput(action.id), neverAborted);
  await expect.poll(async () => (await house.row(action.id)).state).toBe('SUCCEEDED');
  expect(await house.lifecycle.sweeps.verifications()).toBe(0);
  await house.db.query('update action set verify_at = now() where id = $1', [action.id]);
  expect(await house.lifecycle.sweeps.verifications()).toBe(1);
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'VERIFIED']);
  expect(await house.lifecycle.sweeps.verifications()).toBe(0);
});

test('a success that becomes known late is verified as well', async () => {
  const { action } = await house.stage(next());
  house.endpoint.answerNext(before, { ...answers.reset(), applied: true });
  written = false;
  expect((await house.confirm(action.id)).status).toBe('INDETERMINATE');
  written = true;
  await house.lifecycle.resolve(house.principal('approver'), {
    ...{ actionId: action.id, landed: true, resultJson: null, note: 'It is void in the till.' },
    ...{ expectedAttempts: 1, observedAt: new Date() },
  });
  await house.db.query('update action set verify_at = now() where id = $1', [action.id]);
  expect(await house.lifecycle.sweeps.verifications()).toBe(1);
  expect(await house.lifecycle.get(house.principal('agent'), { by: 'action-id', actionId: action.id })).toMatchObject({
    action: { state: 'SUCCEEDED', verification: { state: 'VERIFIED' } },
  });
});

test('a tool that declares no verification is never called UNVERIFIED', async () => {
  const { action } = await house.stage({ text: 'hello' }, { tool: 'note' });
  const confirmed = await house.confirm(action.id);
  expect(confirmed.action.verification).toBeNull();
  expect(await house.row(action.id)).toMatchObject({ verify_at: null, needs_attention: false, version: 3 });
});
