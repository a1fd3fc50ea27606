import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import type { ResolveInput } from '../../server/lifecycle/lifecycle.ts';
import { answers } from '../support/endpoint.ts';
import { type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());
beforeEach(() => house.endpoint.answerProbe(answers.probed('UNKNOWN')));

let notes = 0;
/** An action whose first attempt got this answer. */
async function attempted(answer = answers.reset()): Promise<ActionId> {
  notes += 1;
  const { action } = await house.stage({ text: `note ${notes}` }, { tool: 'note' });
  house.endpoint.answerNext(answer);
  await house.confirm(action.id);
  return action.id;
}

/** As if the attempts had been made so long ago. */
async function age(id: ActionId, interval: string): Promise<void> {
  await house.db.query(
    `update attempt set started_at = started_at - $2::interval, deadline_at = deadline_at - $2::interval,
       lease_until = lease_until - $2::interval where action_id = $1`,
    [id, interval],
  );
}

const approver = () => house.principal('approver');
const resolution = (actionId: ActionId, landed: boolean, over: Partial<ResolveInput> = {}): ResolveInput => ({
  ...{ actionId, landed, resultJson: null, note: 'Looked at the till.', expectedAttempts: 1, observedAt: new Date() },
  ...over,
});
const calls = (id: ActionId) => house.endpoint.calls.filter((call) => call.actionId === id);

test('a person who knows that it landed settles it as SUCCEEDED, with the result if they know it', async () => {
  const id = await attempted();
  const decided = await house.lifecycle.resolve(approver(), resolution(id, true, { resultJson: '{"n":1.0}' }));
  expect(decided).toMatchObject({
    action: { state: 'SUCCEEDED', effect: 'APPLIED' },
    error: null,
    idempotentReplay: false,
  });
  expect(await house.confirm(id)).toMatchObject({ status: 'REPLAYED', result: '{"n":1.0}' });
  expect(await house.events(id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'RESOLVED']);
  expect(calls(id)).toHaveLength(1);
});

test('"not landed" is refused while a delayed request could still be applied, and says how long to wait', async () => {
  const id = await attempted();
  const error = await refusal(house.lifecycle.resolve(approver(), resolution(id, false)));
  expect(error).toMatchObject({ code: 'OUTCOME_INDETERMINATE', field: 'observed_at', effect: 'NONE' });
  expect(error.retryAfterSeconds).toBeGreaterThan(30);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(50);
  await age(id, '1 hour');
  const early = await refusal(
    house.lifecycle.resolve(approver(), resolution(id, false, { observedAt: new Date(Date.now() - 3_590_000) })),
  );
  expect(early).toMatchObject({ code: 'OUTCOME_INDETERMINATE', field: 'observed_at' });
  expect(await house.row(id)).toMatchObject({ state: 'INDETERMINATE', effect: 'UNKNOWN' });
});

test('"not landed", seen late enough, makes it confirmable again; with the same key', async () => {
  const id = await attempted();
  await age(id, '10 minutes');
  const decided = await house.lifecycle.resolve(approver(), resolution(id, false));
  expect(decided.action).toMatchObject({ state: 'PENDING', effect: 'NONE' });
  expect((await house.confirm(id)).status).toBe('EXECUTED');
  expect(new Set(calls(id).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
});

test('"not landed" past the expiry, or with no attempt left, is FAILED with effect NONE', async () => {
  const id = await attempted();
  await age(id, '10 minutes');
  await house.db.query('update action set expires_at = now() where id = $1', [id]);
  const decided = await house.lifecycle.resolve(approver(), resolution(id, false));
  expect(decided.action).toMatchObject({ state: 'FAILED', effect: 'NONE' });
});

test('the same decision again is replayed, another one is refused, and nothing in doubt cannot be resolved', async () => {
  const id = await attempted();
  await house.lifecycle.resolve(approver(), resolution(id, true));
  expect(await house.lifecycle.resolve(approver(), resolution(id, true))).toMatchObject({
    idempotentReplay: true,
    action: { state: 'SUCCEEDED' },
  });
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(id, false)))).toMatchObject({
    code: 'ACTION_SETTLED',
  });
  expect(await house.events(id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'RESOLVED']);
  const done = await attempted(answers.result('{}'));
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(done, true)))).toMatchObject({
    code: 'NOT_IN_DOUBT',
  });
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(done, false)))).toMatchObject({
    code: 'NOT_IN_DOUBT',
  });
});

test('a decision made on fewer attempts than there are by now is refused', async () => {
  const id = await attempted();
  house.endpoint.answerNext(answers.reset());
  await house.confirm(id, { acknowledgeIndeterminate: true });
  await age(id, '10 minutes');
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(id, false)))).toMatchObject({
    code: 'OUTCOME_INDETERMINATE',
    field: 'expected_attempts',
    acceptedJson: ['2'],
  });
  expect(await house.row(id)).toMatchObject({ state: 'INDETERMINATE' });
  expect(
    await refusal(house.lifecycle.resolve(approver(), resolution(id, true, { expectedAttempts: 3 }))),
  ).toMatchObject({ code: 'INVALID_REQUEST' });
});

test('an observation from the future is refused', async () => {
  const id = await attempted();
  const observedAt = new Date(Date.now() + 3_600_000);
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(id, true, { observedAt })))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'observed_at',
  });
});

test('that a refused write landed all the same is accepted: the state stays, the effect says so, and it needs attention', async () => {
  const id = await attempted(answers.refusal({ message: 'No.' }));
  const { action } = await house.lifecycle.resolve(approver(), resolution(id, true));
  expect(action).toMatchObject({ state: 'REFUSED', effect: 'APPLIED' });
  expect(await house.row(id)).toMatchObject({ needs_attention: true });
});

test('twenty decisions at once make one event, and everybody is told the same', async () => {
  const id = await attempted();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => house.lifecycle.resolve(approver(), resolution(id, true))),
  );
  expect(new Set(all.map(({ action }) => action.state))).toEqual(new Set(['SUCCEEDED']));
  expect(all.filter(({ idempotentReplay }) => !idempotentReplay)).toHaveLength(1);
  expect(await house.events(id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'RESOLVED']);
});

test('an endpoint that says "executed" settles the doubt at once, with its result', async () => {
  const id = await attempted();
  house.endpoint.answerProbe(answers.probed('EXECUTED', '{"late":1.0}'));
  const probed = await house.lifecycle.probeNow(approver(), id, neverAborted);
  expect(probed).toMatchObject({ disposition: 'EXECUTED', settled: true, action: { state: 'SUCCEEDED' } });
  expect(await house.confirm(id)).toMatchObject({ status: 'REPLAYED', result: '{"late":1.0}' });
  expect(calls(id)).toHaveLength(1);
  expect(await house.events(id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'PROBED']);
});

test('"not executed" is believed only if it was asked 30 s after the deadline of every attempt in doubt', async () => {
  const id = await attempted();
  house.endpoint.answerProbe(answers.probed('NOT_EXECUTED'));
  expect(await house.lifecycle.probeNow(approver(), id, neverAborted)).toMatchObject({
    disposition: 'NOT_EXECUTED',
    settled: false,
    action: { state: 'INDETERMINATE' },
  });
  await age(id, '10 minutes');
  expect(await house.lifecycle.probeNow(approver(), id, neverAborted)).toMatchObject({
    settled: true,
    action: { state: 'PENDING', effect: 'NONE' },
  });
});

test.for(['IN_PROGRESS', 'UNKNOWN'] as const)('an endpoint that says %s settles nothing', async (word) => {
  const id = await attempted();
  await age(id, '10 minutes');
  house.endpoint.answerProbe(answers.probed(word));
  expect(await house.lifecycle.probeNow(approver(), id, neverAborted)).toMatchObject({
    disposition: word,
    settled: false,
  });
  expect(await house.row(id)).toMatchObject({ state: 'INDETERMINATE', version: 3 });
});

test('nothing in doubt is not asked about', async () => {
  const id = await attempted(answers.result('{}'));
  expect(await refusal(house.lifecycle.probeNow(approver(), id, neverAborted))).toMatchObject({ code: 'NOT_IN_DOUBT' });
  expect(house.endpoint.probes.filter(({ actionId }) => actionId === id)).toHaveLength(0);
});

test('the job asks by itself, again and again with growing pauses, until the endpoint knows', async () => {
  const id = await attempted();
  const due = async () => (await house.row(id)).next_probe_at as Date | null;
  const soon = (await due())?.getTime() ?? 0;
  expect(soon - Date.now()).toBeLessThan(5_000);
  const makeDue = () => house.db.query('update action set next_probe_at = now() where id = $1', [id]);
  await makeDue();
  expect(await house.lifecycle.sweeps.probes()).toBeGreaterThanOrEqual(1);
  expect(house.endpoint.probes.filter(({ actionId }) => actionId === id)).toHaveLength(1);
  const first = (await due())?.getTime() ?? 0;
  expect(first).toBeGreaterThan(Date.now());
  await age(id, '2 minutes');
  await makeDue();
  await house.lifecycle.sweeps.probes();
  expect(((await due())?.getTime() ?? 0) - Date.now()).toBeGreaterThan(60_000);
  house.endpoint.answerProbe(answers.probed('EXECUTED'));
  await makeDue();
  await house.lifecycle.sweeps.probes();
  expect(await house.row(id)).toMatchObject({ state: 'SUCCEEDED', next_probe_at: null });
});

test('a look from before the attempt says nothing about it, also that it landed', async () => {
  const id = await attempted();
  const observedAt = new Date(Date.now() - 86_400_000);
  expect(await refusal(house.lifecycle.resolve(approver(), resolution(id, true, { observedAt })))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'observed_at',
  });
  expect(await house.row(id)).toMatchObject({ state: 'INDETERMINATE', effect: 'UNKNOWN' });
});
