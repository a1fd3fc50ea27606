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

const call = (tool: string, args: unknown, over = {}, by = house.principal('agent')) =>
  house.lifecycle.call(
    by,
    {
      tool,
      argumentsJson: JSON.stringify(args),
      userId: '',
      scope: '',
      planId: '',
      requestId: '',
      ttlMs: undefined,
      ...over,
    },
    neverAborted,
  );

test('a harness is handed what its model needs: names, descriptions, schemas, read or write, risk', () => {
  const tools = house.lifecycle.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['get_ticket', 'note', 'refund', 'void_ticket']);
  expect(tools[0]).toMatchObject({ isWrite: false, description: 'One ticket by its id.', input: { type: 'object' } });
});

test('a read runs, and its answer is the text for the transcript, byte for byte', async () => {
  const json = '{"id":"T-1", "total_usd":84.50,"n":9007199254740993}';
  house.endpoint.answerNext(answers.result(json));
  const called = await call('get_ticket', { ticket_id: 'T-1' }, { userId: 'u_7', scope: 's' });
  expect(called).toMatchObject({ result: json, modelJson: json, action: null });
  expect(house.endpoint.calls.at(-1)).toMatchObject({
    mode: 'read',
    tenant: { id: 'acme', scope: 's', userId: 'u_7' },
  });
});

test('an error that a read answers with is a result: the model reads it', async () => {
  house.endpoint.answerNext(answers.result('{"error":"Ticket T-4417 is already closed."}'));
  expect((await call('get_ticket', { ticket_id: 'T-4417' })).modelJson).toBe(
    '{"error":"Ticket T-4417 is already closed."}',
  );
});

test.for([
  ['fails', answers.http(500, '{"error":"internal","message":"stack"}'), 'TOOL_UNAVAILABLE'],
  ['is too large', answers.result(JSON.stringify('x'.repeat(300_000))), 'RESPONSE_TOO_LARGE'],
  ['is not JSON', answers.http(200, '<html>'), 'RESPONSE_INVALID'],
] as const)('a read that %s is told as a failure, with no partial data', async ([, answer, code]) => {
  house.endpoint.answerNext(answer);
  const error = await refusal(call('get_ticket', { ticket_id: 'T-1' }));
  expect(error).toMatchObject({ code, effect: 'NONE' });
  expect(JSON.stringify(error)).not.toContain('stack');
});

test('a write is staged and runs nothing, and the answer says what the plan has waiting, in its order', async () => {
  const calls = house.endpoint.calls.length;
  const first = await call('note', { text: 'call 1' }, { planId: 'turn-7' });
  const second = await call('note', { text: 'call 2' }, { planId: 'turn-7' });
  expect(JSON.parse(first.modelJson)).toMatchObject({ preview: true, confirmation_required: true });
  expect(second.pending.map(({ action }) => action.id)).toEqual([first.action?.id, second.action?.id]);
  expect(house.endpoint.calls).toHaveLength(calls);
  const input = {
    actionId: first.action?.id ?? fail(),
    argumentsJson: '{"text":"call 1, better"}',
    requestId: '',
    tool: '',
  };
  const { action } = await house.lifecycle.amend(house.principal('approver'), input, neverAborted);
  house.endpoint.answerNext(answers.result('{}'));
  const read = await call('get_ticket', { ticket_id: 'T-1' }, { planId: 'turn-7' });
  expect(read.pending.map((each) => each.action.id)).toEqual([action.id, second.action?.id]);
});

test('bad arguments, unknown tools and foreign scopes are refused before any call', async () => {
  const calls = house.endpoint.calls.length;
  expect(await refusal(call('get_ticket', {}))).toMatchObject({ code: 'INVALID_ARGUMENTS', field: 'ticket_id' });
  expect(await refusal(call('get_tickt', {}))).toMatchObject({
    code: 'TOOL_NOT_FOUND',
    acceptedJson: expect.arrayContaining(['"get_ticket"']),
  });
  const scoped = house.principal('agent', { scopes: ['a'] });
  expect(await refusal(call('get_ticket', { ticket_id: 'T-1' }, { scope: 'b' }, scoped))).toMatchObject({
    code: 'PERMISSION_DENIED',
  });
  expect(house.endpoint.calls).toHaveLength(calls);
});

function fail(): never {
  throw new Error('nothing was staged');
}
