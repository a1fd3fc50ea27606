import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { answers } from '../support/endpoint.ts';
import { confirmInput, type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

/** A store whose settlements do not get through as long as `away` says so; `lost`: the commit happens, its answer does not arrive. */
function unreachable(state: { away: boolean; lost?: boolean }) {
  return (store: ActionStore): ActionStore => ({
    ...store,
    async apply(change) {
      if (!state.away) return store.apply(change);
      if (state.lost) await store.apply(change);
      throw new StoreUnavailable(true);
    },
  });
}

test.for([
  ['the settlement did not get through', false],
  ['the settlement was committed and its answer was lost', true],
] as const)('%s: the caller is told UNKNOWN, and it is recorded once the database is back', async ([, lost]) => {
  const state = { away: true, lost };
  const back = Promise.withResolvers<void>();
  const replica = house.another({ store: unreachable(state), clock: { delay: () => back.promise } });
  house.endpoint.answerNext(answers.result('{"n":1}'));
  const { action } = await house.stage({ ticket_id: `T-400-${lost}` });
  const error = await refusal(replica.confirm(house.principal('approver'), confirmInput(action.id), neverAborted));
  expect(error).toMatchObject({ code: 'UNAVAILABLE', effect: 'UNKNOWN', alternatives: [{ action: 'get' }] });
  expect((await house.row(action.id)).state).toBe(lost ? 'SUCCEEDED' : 'EXECUTING');
  state.away = false;
  back.resolve();
  await replica.drain(10_000);
  expect(await house.row(action.id)).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED', version: 3 });
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED']);
});

test('when the drain ends before the database is back, the lease makes the action INDETERMINATE', async () => {
  const replica = house.another({
    store: unreachable({ away: true }),
    clock: { delay: (_, signal) => aborted(signal) },
  });
  const { action } = await house.stage({ ticket_id: 'T-401' });
  await refusal(replica.confirm(house.principal('approver'), confirmInput(action.id), neverAborted));
  await replica.drain(0);
  expect(await house.row(action.id)).toMatchObject({ state: 'EXECUTING', effect: 'UNKNOWN' });
  expect(await house.lifecycle.sweeps.orphans()).toBe(0);
  await endLease(action.id);
  expect(await house.lifecycle.sweeps.orphans()).toBe(1);
  expect(await house.row(action.id)).toMatchObject({ state: 'INDETERMINATE', effect: 'UNKNOWN', version: 3 });
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'LEASE_OVER']);
});

test('an answer that comes after the lease was over lands on its own attempt, and a success wins', async () => {
  const gate = Promise.withResolvers<void>();
  const { action } = await house.stage({ ticket_id: 'T-402' });
  house.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{"late":true}');
  });
  const calls = house.endpoint.calls.length;
  const confirm = house.confirm(action.id);
  await house.endpoint.arrived(calls + 1);
  await endLease(action.id);
  await house.lifecycle.sweeps.orphans();
  expect((await house.row(action.id)).state).toBe('INDETERMINATE');
  gate.resolve();
  expect(await confirm).toMatchObject({ status: 'EXECUTED', result: '{"late":true}' });
  expect(await house.events(action.id)).toEqual(['STAGED', 'CLAIMED', 'LEASE_OVER', 'LATE_ANSWER']);
  expect(await house.row(action.id)).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED' });
});

async function endLease(id: string): Promise<void> {
  await house.db.query(`update attempt set lease_until = now() where action_id = $1 and finished_at is null`, [id]);
  await house.db.query(`update action set sweep_at = now() where id = $1`, [id]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
