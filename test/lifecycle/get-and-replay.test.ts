import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

const agent = () => house.principal('agent');
const approver = () => house.principal('approver');

test("an action is found by its id, by the caller's own confirm key, and by the request id of its stage", async () => {
  const { action } = await house.stage({ ticket_id: 'T-300' }, { requestId: 'r-300' });
  await house.confirm(action.id, { idempotencyKey: 'k-300' });
  const found = await Promise.all([
    house.lifecycle.get(agent(), { by: 'action-id', actionId: action.id }),
    house.lifecycle.get(agent(), { by: 'request-id', requestId: 'r-300' }),
    house.lifecycle.get(approver(), { by: 'idempotency-key', key: 'k-300' }),
  ]);
  for (const { action: seen } of found) expect(seen).toMatchObject({ id: action.id, state: 'SUCCEEDED' });
});

test('a request id that met an intent already held finds the action that holds it', async () => {
  const { action } = await house.stage({ ticket_id: 'T-301' }, { requestId: 'r-301a' });
  await house.stage({ ticket_id: 'T-301' }, { requestId: 'r-301b' });
  expect(await house.lifecycle.get(agent(), { by: 'request-id', requestId: 'r-301b' })).toMatchObject({
    action: { id: action.id },
  });
});

test("another user's key, another credential's request id and another tenant's action are not found", async () => {
  const { action } = await house.stage({ ticket_id: 'T-302' }, { requestId: 'r-302' });
  await house.confirm(action.id, { idempotencyKey: 'k-302' });
  const lookups = [
    house.lifecycle.get(house.principal('approver', { userId: 'user-b' }), { by: 'idempotency-key', key: 'k-302' }),
    house.lifecycle.get(house.principal('agent', { credentialId: 'key-b' }), { by: 'request-id', requestId: 'r-302' }),
    house.lifecycle.get(house.principal('agent', { credentialId: 'key-b' }), { by: 'action-id', actionId: action.id }),
    house.lifecycle.get(house.principal('operator', { tenantId: 'other' }), { by: 'action-id', actionId: action.id }),
    house.lifecycle.replay(house.principal('approver', { scopes: ['elsewhere'] }), {
      by: 'action-id',
      actionId: action.id,
    }),
  ];
  for (const error of await Promise.all(lookups.map(refusal)))
    expect(error).toMatchObject({ code: 'ACTION_NOT_FOUND', effect: 'NONE' });
});

test('a replay returns the stored result as it was sent, and calls nobody', async () => {
  house.endpoint.answerNext(answers.result('{"a":1.0}'));
  const { action } = await house.stage({ ticket_id: 'T-303' });
  await house.confirm(action.id);
  const calls = house.endpoint.calls.length;
  const replayed = await house.lifecycle.replay(agent(), { by: 'action-id', actionId: action.id });
  expect(replayed).toMatchObject({ result: '{"a":1.0}', error: null });
  expect(JSON.parse(replayed.modelJson)).toMatchObject({ idempotent_replay: true, result: { a: 1 } });
  expect(house.endpoint.calls).toHaveLength(calls);
});

test('a replay of an action without a result says its state, and runs nothing', async () => {
  const { action } = await house.stage({ ticket_id: 'T-304' });
  const calls = house.endpoint.calls.length;
  const waiting = await house.lifecycle.replay(approver(), { by: 'action-id', actionId: action.id });
  expect(waiting).toMatchObject({ result: null, action: { state: 'PENDING' } });
  expect(JSON.parse(waiting.modelJson)).toMatchObject({ preview: true });
  house.endpoint.answerNext(answers.refusal({ message: 'No.' }));
  await house.confirm(action.id);
  const refused = await house.lifecycle.replay(approver(), { by: 'action-id', actionId: action.id });
  expect(refused).toMatchObject({ result: null, error: { code: 'REFUSED', message: 'No.' } });
  expect(house.endpoint.calls).toHaveLength(calls + 1);
});

test('an action past its expiry that no sweeper has met yet is not called confirmable', async () => {
  const { action } = await house.stage({ ticket_id: 'T-305' });
  await house.db.query('update action set expires_at = now() where id = $1', [action.id]);
  const shown = await house.lifecycle.get(agent(), { by: 'action-id', actionId: action.id });
  expect(JSON.parse(shown.modelJson)).toMatchObject({ error: 'action_expired', effect: 'NONE' });
  expect(shown.error?.code).toBe('ACTION_EXPIRED');
});

test('what a request id was answered with is found by it, also when another credential proposed the same first', async () => {
  const { action } = await house.stage({ ticket_id: 'T-306' });
  const second = house.principal('agent', { credentialId: 'key-b' });
  expect((await house.stage({ ticket_id: 'T-306' }, { requestId: 'r-306' }, second)).action.id).toBe(action.id);
  const found = await house.lifecycle.get(second, { by: 'request-id', requestId: 'r-306' });
  expect(found.action.id).toBe(action.id);
});
