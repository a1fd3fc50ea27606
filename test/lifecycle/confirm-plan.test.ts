import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import type { ConfirmInput, PlanVerdict } from '../../server/lifecycle/lifecycle.ts';
import { answers } from '../support/endpoint.ts';
import { confirmInput, type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

let plans = 0;
/** The actions of one plan. */
async function plan(size: number): Promise<ActionId[]> {
  plans += 1;
  const staged = [];
  for (let n = 0; n < size; n++)
    staged.push(await house.stage({ text: `${plans}.${n}` }, { tool: 'note', planId: `plan-${plans}` }));
  return staged.map(({ action }) => action.id);
}

async function run(entries: readonly ConfirmInput[], signal = neverAborted): Promise<PlanVerdict[]> {
  const verdicts: PlanVerdict[] = [];
  for await (const verdict of house.lifecycle.confirmPlan(house.principal('approver'), entries, signal))
    verdicts.push(verdict);
  return verdicts;
}

const summary = (verdicts: PlanVerdict[]) =>
  verdicts.map((verdict) => (verdict.kind === 'confirmed' ? verdict.confirmed.status : verdict.kind));
const states = (ids: ActionId[]) => Promise.all(ids.map(async (id) => (await house.row(id)).state));

test('entries are confirmed in order, and a replay counts as a success', async () => {
  const ids = await plan(3);
  await house.confirm(ids[1] as ActionId);
  const before = house.endpoint.calls.length;
  expect(summary(await run(ids.map((id) => confirmInput(id))))).toEqual(['EXECUTED', 'REPLAYED', 'EXECUTED']);
  expect(house.endpoint.calls.slice(before).map(({ actionId }) => actionId)).toEqual([ids[0], ids[2]]);
});

test.for([
  ['a refusal by the vendor', answers.refusal({ message: 'No.' }), 'REFUSED'],
  ['a failure', answers.http(503), 'FAILED_RETRYABLE'],
  ['no answer', answers.reset(), 'INDETERMINATE'],
] as const)(
  '%s in the middle stops it there: a verdict per action, the rest untouched and still confirmable',
  async ([, answer, status]) => {
    const ids = await plan(4);
    house.endpoint.answerNext(answers.result('{}'), answer);
    const verdicts = await run(ids.map((id) => confirmInput(id)));
    expect(summary(verdicts)).toEqual(['EXECUTED', status, 'not-run', 'not-run']);
    expect(verdicts[2]).toMatchObject({ index: 2, actionId: ids[2], reason: expect.stringContaining(status) });
    expect((await states(ids)).slice(2)).toEqual(['PENDING', 'PENDING']);
    expect(summary(await run(ids.slice(2).map((id) => confirmInput(id))))).toEqual(['EXECUTED', 'EXECUTED']);
  },
);

test('an entry that is refused by a guard stops it, with the error of that entry', async () => {
  const ids = await plan(2);
  const refund = await house.stage({ ticket_id: 'CP-1', amount_usd: 99 }, { tool: 'refund' });
  const entries = [confirmInput(ids[0] as ActionId), confirmInput(refund.action.id), confirmInput(ids[1] as ActionId)];
  const verdicts = await run(entries);
  expect(summary(verdicts)).toEqual(['EXECUTED', 'refused', 'not-run']);
  expect(verdicts[1]).toMatchObject({ error: { code: 'RISK_ACKNOWLEDGEMENT_REQUIRED', effect: 'NONE' } });
});

test('each entry carries its own digest and key', async () => {
  const ids = await plan(2);
  const entries = [
    confirmInput(ids[0] as ActionId, { idempotencyKey: 'cp-a' }),
    confirmInput(ids[1] as ActionId, { idempotencyKey: 'cp-b', previewDigest: 'sha256:0' }),
  ];
  const verdicts = await run(entries);
  expect(summary(verdicts)).toEqual(['EXECUTED', 'refused']);
  expect(verdicts[1]).toMatchObject({ error: { code: 'PREVIEW_DIGEST_MISMATCH' } });
});

test('a caller who leaves stops it before the next claim; the one under way is settled', async () => {
  const ids = await plan(3);
  const gone = new AbortController();
  house.endpoint.answerNext(() => {
    gone.abort();
    return answers.result('{}');
  });
  const verdicts = await run(
    ids.map((id) => confirmInput(id)),
    gone.signal,
  );
  expect(summary(verdicts)).toEqual(['EXECUTED', 'not-run', 'not-run']);
  expect(await states(ids)).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
});

test('an action that stands in it twice is refused before anything runs, and so is an agent', async () => {
  const [id] = (await plan(1)) as [ActionId];
  expect(await refusal(run([confirmInput(id), confirmInput(id)]))).toMatchObject({
    code: 'INVALID_REQUEST',
    field: '/entries/1/action_id',
  });
  const asAgent = house.lifecycle.confirmPlan(house.principal('agent'), [confirmInput(id)], neverAborted);
  expect(await refusal(asAgent[Symbol.asyncIterator]().next())).toMatchObject({ code: 'PERMISSION_DENIED' });
  expect(await states([id])).toEqual(['PENDING']);
});
