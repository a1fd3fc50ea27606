import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallError } from '../../server/domain/error.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { confirmInput, neverAborted } from '../support/inputs.ts';
import { refusal } from '../support/refusal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

let tickets = 0;
function ticket() {
  tickets += 1;
  return { ticket_id: `T-${tickets}` };
}

const callsOf = (id: string) => house.endpoint.calls.filter((call) => call.actionId === id);

test('a confirmed write is called once with the action id as its key, and what ran is what was shown', async () => {
  house.endpoint.answerNext(answers.result('{"status":"void", "n":9007199254740993,"z":"\\u0000"}'));
  const { action } = await house.stage(ticket(), { userId: 'u_7', scope: 's' });
  const confirmed = await house.confirm(action.id, { previewDigest: action.previewDigest });
  expect(confirmed).toMatchObject({ status: 'EXECUTED', idempotentReplay: false, error: null });
  expect(confirmed.result).toBe('{"status":"void", "n":9007199254740993,"z":"\\u0000"}');
  expect(callsOf(action.id)).toEqual([
    expect.objectContaining({
      requestId: action.id.replaceAll('-', ''),
      idempotencyKey: action.id.replaceAll('-', ''),
      argumentsJson: action.arguments,
      tenant: { id: 'acme', scope: 's', userId: 'u_7' },
      mode: 'execute',
      isWrite: true,
      attempt: 1,
    }),
  ]);
  expect(await house.row(action.id)).toMatchObject({
    state: 'SUCCEEDED',
    effect: 'APPLIED',
    version: 3,
    result_attempt: 1,
  });
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED']);
});

test('who proposed and who confirmed stand in the record, from their credentials', async () => {
  const { action } = await house.stage(ticket(), { userId: 'somebody-else' });
  const { action: after } = await house.confirm(action.id);
  expect(after.proposedBy).toEqual({ credentialId: 'key-agent', userId: 'user-agent' });
  expect(after.attempts[0]?.confirmedBy).toEqual({ credentialId: 'key-approver', userId: 'user-approver' });
  const actors = await house.db.query('select type, actor_user from event where action_id = $1 order by version', [
    action.id,
  ]);
  expect(actors.map(({ actor_user }) => actor_user)).toEqual(['user-agent', 'user-approver', 'user-approver']);
});

test('a second confirm is answered with the first result, byte for byte, and nothing runs again', async () => {
  house.endpoint.answerNext(answers.result('{"n":1.50}'));
  const { action } = await house.stage(ticket());
  await house.confirm(action.id, { idempotencyKey: 'k-1' });
  for (const over of [{ idempotencyKey: 'k-1' }, { idempotencyKey: 'k-2' }, {}, { expectedAttempts: 0 }]) {
    const again = await house.confirm(action.id, over);
    expect(again).toMatchObject({ status: 'REPLAYED', idempotentReplay: true, result: '{"n":1.50}', error: null });
    expect(JSON.parse(again.modelJson)).toMatchObject({
      state: 'SUCCEEDED',
      result: { n: 1.5 },
      idempotent_replay: true,
    });
  }
  expect(callsOf(action.id)).toHaveLength(1);
});

test.for(['agent', 'operator'] as const)("an %s's credential can never confirm", async (role) => {
  const { action } = await house.stage(ticket());
  expect(await refusal(house.confirm(action.id, {}, house.principal(role)))).toMatchObject({
    code: 'PERMISSION_DENIED',
  });
  expect(callsOf(action.id)).toHaveLength(0);
});

test('an id that never was, of another tenant and of another scope get the same answer', async () => {
  const { action } = await house.stage(ticket(), { scope: 'store-1' });
  const never = '00000000-0000-4000-8000-000000000000' as typeof action.id;
  const answersGot = await Promise.all([
    refusal(house.confirm(never)),
    refusal(house.confirm(action.id, {}, house.principal('approver', { tenantId: 'other' }))),
    refusal(house.confirm(action.id, {}, house.principal('approver', { scopes: ['store-2'] }))),
  ]);
  const anonymous = answersGot.map((detail) => JSON.stringify(detail).replaceAll(action.id, never));
  expect(new Set(anonymous).size).toBe(1);
  expect(answersGot[0]?.code).toBe('ACTION_NOT_FOUND');
});

test('past its expiry an action is not found, before and after the sweeper came by', async () => {
  const { action } = await house.stage(ticket());
  await house.db.query(`update action set expires_at = now(), sweep_at = now() where id = $1`, [action.id]);
  expect((await refusal(house.confirm(action.id))).code).toBe('ACTION_NOT_FOUND');
  await house.lifecycle.sweeps.expire();
  expect(await house.row(action.id)).toMatchObject({ state: 'EXPIRED' });
  expect((await refusal(house.confirm(action.id))).code).toBe('ACTION_NOT_FOUND');
  expect(callsOf(action.id)).toHaveLength(0);
});

test('a key that was used for another action is refused, whatever the state of this one', async () => {
  const one = await house.stage(ticket());
  const two = await house.stage(ticket());
  await house.confirm(one.action.id, { idempotencyKey: 'shared' });
  expect(await refusal(house.confirm(two.action.id, { idempotencyKey: 'shared' }))).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    field: 'idempotency_key',
    effect: 'NONE',
  });
  await house.confirm(two.action.id);
  expect((await refusal(house.confirm(two.action.id, { idempotencyKey: 'shared' }))).code).toBe(
    'IDEMPOTENCY_KEY_REUSED',
  );
  const other = house.principal('approver', { userId: 'user-b', credentialId: 'key-b' });
  expect((await house.confirm(two.action.id, { idempotencyKey: 'shared' }, other)).status).toBe('REPLAYED');
});

test('one key confirming two actions at once is good for one of them, and the other stays as it was', async () => {
  const staged = await Promise.all([house.stage(ticket()), house.stage(ticket())]);
  const outcomes = await Promise.all(
    staged.map(({ action }) =>
      house.confirm(action.id, { idempotencyKey: 'at-once' }).then(
        ({ status }) => status,
        (error: CallError) => error.code,
      ),
    ),
  );
  expect(outcomes.toSorted()).toEqual(['EXECUTED', 'IDEMPOTENCY_KEY_REUSED']);
  const states = await Promise.all(staged.map(async ({ action }) => (await house.row(action.id)).state));
  expect(states.toSorted()).toEqual(['PENDING', 'SUCCEEDED']);
});

test('what was shown must be what runs: another digest is refused', async () => {
  const { action } = await house.stage(ticket());
  expect(await refusal(house.confirm(action.id, { previewDigest: 'sha256:00' }))).toMatchObject({
    code: 'PREVIEW_DIGEST_MISMATCH',
    acceptedJson: [JSON.stringify(action.previewDigest)],
  });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test('a risky write must be acknowledged; the stricter of the catalog then and now counts', async () => {
  const wipe = await house.stage({ store: 'all' }, { tool: 'wipe_store' });
  expect(await refusal(house.confirm(wipe.action.id))).toMatchObject({
    code: 'RISK_ACKNOWLEDGEMENT_REQUIRED',
    field: 'acknowledge_high_risk',
  });
  const tame = await house.stage(ticket());
  const stricter = house.another({
    catalog: (catalog) => ({
      ...catalog,
      find: (name) => {
        const tool = catalog.find(name);
        return tool && { ...tool, risk: 'elevated' };
      },
    }),
  });
  const milder = house.another({
    catalog: (catalog) => ({
      ...catalog,
      find: (name) => {
        const tool = catalog.find(name);
        return tool && { ...tool, risk: 'normal' };
      },
    }),
  });
  const by = house.principal('approver');
  const ask = (id: typeof tame.action.id, acknowledgeHighRisk: boolean) => ({
    ...{ actionId: id, idempotencyKey: '', acknowledgeHighRisk, acknowledgeIndeterminate: false },
    ...{ previewDigest: '', expectedAttempts: undefined },
  });
  const { signal } = new AbortController();
  expect((await refusal(stricter.confirm(by, ask(tame.action.id, false), signal))).code).toBe(
    'RISK_ACKNOWLEDGEMENT_REQUIRED',
  );
  expect((await refusal(milder.confirm(by, ask(wipe.action.id, false), signal))).code).toBe(
    'RISK_ACKNOWLEDGEMENT_REQUIRED',
  );
  expect((await milder.confirm(by, ask(wipe.action.id, true), signal)).status).toBe('EXECUTED');
});

test('a tool that is no longer declared refuses, and the action stays as it was', async () => {
  const { action } = await house.stage(ticket());
  const without = house.another({
    catalog: (catalog) => ({ ...catalog, find: () => undefined, names: () => ['get_ticket'] }),
  });
  const input = { actionId: action.id, idempotencyKey: '', acknowledgeHighRisk: true, acknowledgeIndeterminate: false };
  const call = without.confirm(
    house.principal('approver'),
    { ...input, previewDigest: '', expectedAttempts: undefined },
    new AbortController().signal,
  );
  expect((await refusal(call)).code).toBe('TOOL_NOT_FOUND');
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test("a vendor's refusal is terminal, with the vendor's reason", async () => {
  house.endpoint.answerNext(answers.refusal({ code: 'needs_manager', message: 'Voiding over $50 needs a manager.' }));
  const { action } = await house.stage(ticket());
  const confirmed = await house.confirm(action.id);
  expect(confirmed).toMatchObject({
    status: 'REFUSED',
    error: { code: 'needs_manager', effect: 'NONE', retryable: false },
  });
  expect(JSON.parse(confirmed.modelJson)).toMatchObject({
    state: 'REFUSED',
    error: 'needs_manager',
    message: 'Voiding over $50 needs a manager.',
  });
  expect(await refusal(house.confirm(action.id))).toMatchObject({ code: 'ACTION_SETTLED', receivedJson: '"REFUSED"' });
  expect(callsOf(action.id)).toHaveLength(1);
});

test('503 three times is FAILED after three calls, all with the same key; each time it says how many are used', async () => {
  const { action } = await house.stage(ticket());
  house.endpoint.answerNext(answers.http(503), answers.http(503), answers.http(503));
  const outcomes = [];
  for (let attempt = 0; attempt < 3; attempt++)
    outcomes.push(await house.confirm(action.id, { expectedAttempts: attempt }));
  expect(outcomes.map(({ status }) => status)).toEqual(['FAILED_RETRYABLE', 'FAILED_RETRYABLE', 'FAILED']);
  expect(outcomes.map(({ error }) => error?.message)).toEqual([
    expect.stringContaining('1/3 attempts used'),
    expect.stringContaining('2/3 attempts used'),
    expect.stringContaining('3/3 attempts used'),
  ]);
  expect(outcomes.map(({ error }) => error?.code)).toEqual([
    'EXECUTION_FAILED_RETRYABLE',
    'EXECUTION_FAILED_RETRYABLE',
    'EXECUTION_FAILED',
  ]);
  expect(callsOf(action.id).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(new Set(callsOf(action.id).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await house.row(action.id)).toMatchObject({ state: 'FAILED', effect: 'UNKNOWN' });
  expect((await refusal(house.confirm(action.id))).code).toBe('ACTION_SETTLED');
});

test('no answer is INDETERMINATE: it is not dispatched again until a person acknowledges, and then with the same key', async () => {
  const { action } = await house.stage(ticket());
  house.endpoint.answerNext(answers.reset());
  expect(await house.confirm(action.id)).toMatchObject({ status: 'INDETERMINATE', error: { effect: 'UNKNOWN' } });
  expect(await refusal(house.confirm(action.id))).toMatchObject({
    code: 'OUTCOME_INDETERMINATE',
    field: 'acknowledge_indeterminate',
  });
  expect(callsOf(action.id)).toHaveLength(1);
  const again = await house.confirm(action.id, { acknowledgeIndeterminate: true, expectedAttempts: 1 });
  expect(again.status).toBe('EXECUTED');
  expect(callsOf(action.id).map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    Array(2).fill(action.id.replaceAll('-', '')),
  );
});

test('a repeat that says how many attempts it knew of gets the recorded outcome, whatever the state is by now', async () => {
  const { action } = await house.stage(ticket());
  house.endpoint.answerNext(answers.http(503), answers.refusal({ code: 'already_void', message: 'Already void.' }));
  await house.confirm(action.id, { expectedAttempts: 0, idempotencyKey: 'rep' });
  expect(await house.confirm(action.id, { expectedAttempts: 0, idempotencyKey: 'rep' })).toMatchObject({
    status: 'FAILED_RETRYABLE',
    idempotentReplay: true,
  });
  await house.db.query(`update action set expires_at = now() where id = $1`, [action.id]);
  expect((await house.confirm(action.id, { expectedAttempts: 0 })).status).toBe('FAILED_RETRYABLE');
  await house.db.query(`update action set expires_at = now() + interval '1 minute' where id = $1`, [action.id]);
  expect((await house.confirm(action.id, { expectedAttempts: 1 })).status).toBe('REFUSED');
  expect((await house.confirm(action.id, { expectedAttempts: 0 })).status).toBe('FAILED_RETRYABLE');
  expect((await house.confirm(action.id, { expectedAttempts: 1 })).status).toBe('REFUSED');
  expect(callsOf(action.id)).toHaveLength(2);
  expect(await refusal(house.confirm(action.id, { expectedAttempts: 3 }))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'expected_attempts',
    limitJson: '2',
  });
});

test('a second attempt that is refused does not turn the doubt about the first into "nothing happened"', async () => {
  const { action } = await house.stage(ticket());
  house.endpoint.answerNext(
    { ...answers.http(500, '{}'), applied: true },
    answers.refusal({ code: 'already_void', message: 'Already void.' }),
  );
  expect(await house.confirm(action.id)).toMatchObject({ status: 'FAILED_RETRYABLE', error: { effect: 'UNKNOWN' } });
  const second = await house.confirm(action.id);
  expect(second).toMatchObject({ status: 'REFUSED', error: { code: 'already_void', effect: 'UNKNOWN' } });
  expect(JSON.parse(second.modelJson).effect).toBe('UNKNOWN');
  expect((await house.stage(JSON.parse(action.arguments))).action.id).toBe(action.id);
});

test('a confirm that meets another one under way is told to wait, and for how long', async () => {
  const { action } = await house.stage(ticket());
  const gate = Promise.withResolvers<void>();
  house.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{}');
  });
  const before = house.endpoint.calls.length;
  const first = house.confirm(action.id);
  await house.endpoint.arrived(before + 1);
  const error = await refusal(house.confirm(action.id));
  expect(error).toMatchObject({ code: 'CONFIRM_IN_FLIGHT', effect: 'NONE', retryable: true });
  expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(20);
  expect(await house.lifecycle.get(house.principal('agent'), { by: 'action-id', actionId: action.id })).toMatchObject({
    action: { state: 'EXECUTING', effect: 'UNKNOWN' },
  });
  gate.resolve();
  expect((await first).status).toBe('EXECUTED');
});

test('a caller that has hung up before the claim stops the confirm; after the claim it changes nothing', async () => {
  const { action } = await house.stage(ticket());
  const gone = new AbortController();
  gone.abort();
  const input = {
    actionId: action.id,
    idempotencyKey: '',
    acknowledgeHighRisk: false,
    acknowledgeIndeterminate: false,
  };
  const whole = { ...input, previewDigest: '', expectedAttempts: undefined };
  await expect(house.lifecycle.confirm(house.principal('approver'), whole, gone.signal)).rejects.toThrow();
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });

  const leaving = new AbortController();
  const gate = Promise.withResolvers<void>();
  house.endpoint.answerNext(async () => {
    leaving.abort();
    await gate.promise;
    return answers.result('{}');
  });
  const confirm = house.lifecycle.confirm(house.principal('approver'), whole, leaving.signal);
  gate.resolve();
  expect((await confirm).status).toBe('EXECUTED');
  expect(await house.row(action.id)).toMatchObject({ state: 'SUCCEEDED' });
});

test.for([
  ['is declared a read', { isWrite: false }, 'TOOL_NOT_FOUND'],
  ['takes other arguments', { validate: () => ({ message: 'reason is missing.' }) }, 'INVALID_ARGUMENTS'],
] as const)('a tool that %s by now refuses, and the action stays as it was', async ([, change, code]) => {
  const { action } = await house.stage(ticket());
  const changed = house.another({
    catalog: (catalog) => ({
      ...catalog,
      find: (name) => {
        const tool = catalog.find(name);
        return tool && { ...tool, ...change };
      },
    }),
  });
  const error = await refusal(changed.confirm(house.principal('approver'), confirmInput(action.id), neverAborted));
  expect(error).toMatchObject({ code, effect: 'NONE', alternatives: [{ action: 'reject' }] });
  expect(callsOf(action.id)).toHaveLength(0);
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test('a confirm beside one whose server died says to wait until its lease is over, not until a time that is past', async () => {
  const { action } = await house.stage(ticket());
  const gate = Promise.withResolvers<void>();
  house.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{}');
  });
  const before = house.endpoint.calls.length;
  const first = house.confirm(action.id);
  await house.endpoint.arrived(before + 1);
  await house.db.query(`update attempt set deadline_at = now() - interval '1 second' where action_id = $1`, [
    action.id,
  ]);
  const error = await refusal(house.confirm(action.id));
  expect(error.retryAfterSeconds).toBeGreaterThan(20);
  gate.resolve();
  await first;
});
