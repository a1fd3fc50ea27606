import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { confirmInput, neverAborted, stageInput } from '../support/inputs.ts';
import { refusal } from '../support/refusal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

async function rowsOf(ticket: string): Promise<number> {
  return (await house.db.query('select 1 from action where arguments like $1', [`%"${ticket}"%`])).length;
}

test('a proposal is recorded with its event, answered with its preview, and no endpoint is called', async () => {
  const before = house.endpoint.calls.length;
  const { action, modelJson, idempotentReplay } = await house.stage(
    { ticket_id: 'T-100' },
    { userId: 'u_7', scope: 'store-12', planId: 'turn-1' },
  );
  expect(idempotentReplay).toBe(false);
  expect(await house.row(action.id)).toMatchObject({
    tenant_id: 'acme',
    user_id: 'u_7',
    scope: 'store-12',
    plan_id: 'turn-1',
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    arguments: '{"ticket_id":"T-100"}',
    proposed_by_credential: 'key-agent',
  });
  expect(await house.events(action.id)).toEqual(['STAGED']);
  expect(JSON.parse(modelJson)).toMatchObject({ preview: true, action_id: action.id, confirmation_required: true });
  expect(house.endpoint.calls).toHaveLength(before);
});

test('it waits as long as the tool says, or shorter if asked', async () => {
  const wipe = await house.stage({ store: 's1' }, { tool: 'wipe_store' });
  expect(wipe.action.expiresAt.getTime() - wipe.action.createdAt.getTime()).toBe(90_000);
  const short = await house.stage({ store: 's2' }, { tool: 'wipe_store', ttlMs: 1_500 });
  expect(short.action.expiresAt.getTime() - short.action.createdAt.getTime()).toBe(1_500);
  expect(await refusal(house.stage({ store: 's3' }, { tool: 'wipe_store', ttlMs: 90_001 }))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'ttl',
    limitJson: '90',
  });
  expect(await refusal(house.stage({ store: 's3' }, { tool: 'wipe_store', ttlMs: 0 }))).toMatchObject({ field: 'ttl' });
});

test('the same proposal five times, one after the other and at once, is one row and one event', async () => {
  const first = await house.stage({ ticket_id: 'T-101', reason: 'x' });
  const again = await Promise.all(Array.from({ length: 20 }, () => house.stage({ ticket_id: 'T-101', reason: 'x' })));
  expect(new Set(again.map(({ action }) => action.id))).toEqual(new Set([first.action.id]));
  expect(again.every(({ idempotentReplay }) => idempotentReplay)).toBe(true);
  expect(JSON.parse(again[0]?.modelJson ?? '')).toMatchObject({ preview: true, idempotent_replay: true });
  expect(await rowsOf('T-101')).toBe(1);
  expect(await house.events(first.action.id)).toEqual(['STAGED']);
});

test('key order, spacing and the spelling of numbers and strings make no other proposal', async () => {
  const spellings = [
    '{"ticket_id":"T-102","amount_usd":10}',
    ' { "amount_usd" : 1e1 , "ticket_id" : "T-102" } ',
    '{"amount_usd":10.0,"ticket_id":"\\u0054-102"}',
  ];
  const staged = await Promise.all(spellings.map((text) => house.stage(text)));
  expect(new Set(staged.map(({ action }) => action.id)).size).toBe(1);
  expect(await rowsOf('T-102')).toBe(1);
});

test.for([
  ['another user', { userId: 'u_2' }],
  ['another scope', { scope: 's_2' }],
] as const)('%s proposing the same is another wish', async ([, over]) => {
  const one = await house.stage({ ticket_id: 'T-103' });
  const other = await house.stage({ ticket_id: 'T-103' }, over);
  expect(other.action.id).not.toBe(one.action.id);
});

test('another tenant proposing the same is another wish, and cannot see the first', async () => {
  const one = await house.stage({ ticket_id: 'T-104' });
  const other = await house.stage({ ticket_id: 'T-104' }, {}, house.principal('agent', { tenantId: 'other' }));
  expect(other.action.id).not.toBe(one.action.id);
});

test('a settled wish may be had again: the next proposal is a new action', async () => {
  const first = await house.stage({ ticket_id: 'T-105' });
  await house.confirm(first.action.id);
  const second = await house.stage({ ticket_id: 'T-105' });
  expect(second.idempotentReplay).toBe(false);
  expect(second.action.id).not.toBe(first.action.id);
});

test('a request id returns its action for as long as the action is kept, also when it is settled', async () => {
  const first = await house.stage({ ticket_id: 'T-106' }, { requestId: 'r-106' });
  await house.confirm(first.action.id);
  const again = await house.stage({ ticket_id: 'T-106' }, { requestId: 'r-106' });
  expect(again).toMatchObject({ idempotentReplay: true, action: { id: first.action.id, state: 'SUCCEEDED' } });
  expect(JSON.parse(again.modelJson)).toMatchObject({ state: 'SUCCEEDED', idempotent_replay: true });
});

test.for([
  ['arguments', { ticket_id: 'T-107b' }, {}],
  ['user_id', { ticket_id: 'T-107' }, { userId: 'u_9' }],
  ['scope', { ticket_id: 'T-107' }, { scope: 's_9' }],
] as const)('a request id used again with other %s is refused, and records nothing', async ([field, args, over]) => {
  await house.stage({ ticket_id: 'T-107' }, { requestId: 'r-107' });
  const error = await refusal(house.stage(args, { ...over, requestId: 'r-107' }));
  expect(error).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', field: 'request_id', effect: 'NONE' });
  expect(error.message).toContain(field);
  expect(await rowsOf('T-107b')).toBe(0);
});

test('an unknown tool is refused with the nearest names; a read is not staged', async () => {
  expect(await refusal(house.stage({}, { tool: 'void_tickt' }))).toMatchObject({
    code: 'TOOL_NOT_FOUND',
    acceptedJson: expect.arrayContaining(['"void_ticket"']),
  });
  expect(await refusal(house.stage({ ticket_id: 'T-1' }, { tool: 'get_ticket' }))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'tool',
  });
});

test.for([
  ['9007199254740993', '{"ticket_id":"T-108","amount_usd":9007199254740993}', 'amount_usd', '9007199254740993'],
  ['1e400', '{"ticket_id":"T-108","note":{"deep":[1e400]}}', '/note/deep/0', '1e400'],
] as const)(
  'the number %s, which would arrive as another, is refused with its field and the way out',
  async ([, text, field, received]) => {
    const error = await refusal(house.stage(text));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', field, receivedJson: received });
    expect(error.message).toMatch(/string/);
    expect(await rowsOf('T-108')).toBe(0);
  },
);

test('arguments that do not fit the schema are refused with field, value and boundary', async () => {
  expect(await refusal(house.stage({ ticket_id: 'T' }))).toMatchObject({
    code: 'INVALID_ARGUMENTS',
    field: 'ticket_id',
    receivedJson: '"T"',
    limitJson: '3',
    retryable: false,
    effect: 'NONE',
  });
  expect((await refusal(house.stage('{"ticket_id":"T-1",}'))).code).toBe('INVALID_ARGUMENTS');
  expect((await refusal(house.stage('[]'))).code).toBe('INVALID_ARGUMENTS');
  expect((await refusal(house.stage('{"ticket_id":"T-1","ticket_id":"T-2"}'))).message).toMatch(/ticket_id/);
});

test('256 KiB of arguments are staged and confirmed, byte for byte; one more is refused', async () => {
  const filler = 'x'.repeat(256 * 1024 - '{"note":"","ticket_id":"T-109"}'.length);
  const text = `{"note":"${filler}","ticket_id":"T-109"}`;
  const { action } = await house.stage(text);
  expect((await house.confirm(action.id)).status).toBe('EXECUTED');
  expect(house.endpoint.calls.at(-1)?.argumentsJson).toBe(text);
  expect(await refusal(house.stage(text.replace('xxx', 'xxxx')))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
});

test('a credential of one scope proposes nothing in another', async () => {
  const agent = house.principal('agent', { scopes: ['store-1'] });
  await house.stage({ ticket_id: 'T-110' }, { scope: 'store-1' }, agent);
  expect(await refusal(house.stage({ ticket_id: 'T-110' }, { scope: 'store-2' }, agent))).toMatchObject({
    code: 'PERMISSION_DENIED',
    field: 'scope',
    acceptedJson: ['"store-1"'],
  });
});

test('a proposal found past its expiry is expired, with its event, and replaced by a new one', async () => {
  const first = await house.stage({ ticket_id: 'T-111' });
  await backdateExpiry(first.action.id);
  const [second, third] = await Promise.all([house.stage({ ticket_id: 'T-111' }), house.stage({ ticket_id: 'T-111' })]);
  expect(second.action.id).not.toBe(first.action.id);
  expect(third.action.id).toBe(second.action.id);
  expect(await house.row(first.action.id)).toMatchObject({ state: 'EXPIRED', version: 2 });
  expect(await house.events(first.action.id)).toEqual(['STAGED', 'EXPIRED']);
});

test('while an attempt is in doubt the intent is held, over expiry and over the same proposal: no new key is born', async () => {
  const { action } = await house.stage({ ticket_id: 'T-112' });
  house.endpoint.answerNext({ ...answers.http(500, 'oops'), applied: true });
  expect((await house.confirm(action.id)).status).toBe('FAILED_RETRYABLE');
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', effect: 'UNKNOWN' });
  expect((await house.stage({ ticket_id: 'T-112' })).action.id).toBe(action.id);
  await backdateExpiry(action.id);
  expect(await house.lifecycle.sweeps.expire()).toBeGreaterThan(0);
  const again = await house.stage({ ticket_id: 'T-112' });
  expect(again).toMatchObject({
    idempotentReplay: true,
    action: { id: action.id, state: 'EXPIRED', effect: 'UNKNOWN' },
  });
  expect(JSON.parse(again.modelJson).message).toMatch(/may have taken effect/);
  expect(await rowsOf('T-112')).toBe(1);
});

async function backdateExpiry(id: ActionId): Promise<void> {
  await house.db.query(
    `update action set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day',
       sweep_at = sweep_at - interval '1 day' where id = $1`,
    [id],
  );
}

test('the log tells a repeated attempt from a repeated intent, and both from a repeated confirm', async () => {
  const told: unknown[] = [];
  const silent = () => undefined;
  const log = { info: (facts: Record<string, unknown>) => void told.push(facts.repeat), warn: silent, error: silent };
  const logged = house.another({ log });
  const propose = (requestId: string) =>
    logged.stage(house.principal('agent'), stageInput({ ticket_id: 'T-120' }, { requestId }), neverAborted);
  const { action } = await propose('r-120');
  await propose('r-120');
  await propose('');
  const confirm = () => logged.confirm(house.principal('approver'), confirmInput(action.id), neverAborted);
  await confirm();
  await confirm();
  expect(told).toEqual(['request', 'intent', 'confirm']);
});
