import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import { type ServerProcess, told } from './server-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

async function stage(server: ServerProcess): Promise<string> {
  return (await server.agent.stage(proposal())).action?.id ?? '';
}

/** From now on the endpoint keeps every answer back until it is let go; `working` resolves when it has so many calls. */
function holdAnswers(calls: number): { readonly working: Promise<unknown>; letGo(): void } {
  const gate = Promise.withResolvers<void>();
  place.endpoint.answer(async () => {
    await gate.promise;
    return answers.result('{"ok":true}');
  });
  return { working: place.endpoint.arrived(place.endpoint.calls.length + calls), letGo: gate.resolve };
}

test('holds no connection to the database: a pool of 2 has 50 writes under way, and serves reads meanwhile', async () => {
  const server = await place.server({ env: { TETHER_DATABASE_POOL: '2' } });
  const ids = await Promise.all(Array.from({ length: 50 }, () => stage(server)));
  const { working, letGo } = holdAnswers(ids.length);
  const confirms = Promise.all(ids.map((actionId) => server.approver.confirm({ actionId })));
  await working;
  for (const value of ids.slice(0, 5)) {
    const { action } = await server.approver.get({ key: { case: 'actionId', value } });
    expect(action?.state).toBe(ActionState.EXECUTING);
  }
  letGo();
  const statuses = (await confirms).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([ConfirmStatus.EXECUTED]));
});

test('is waited for by a server that is told to stop: the caller gets the outcome, and the exit is orderly', async () => {
  const server = await place.server();
  const actionId = await stage(server);
  const { working, letGo } = holdAnswers(1);
  const confirm = server.approver.confirm({ actionId });
  await working;
  const stopped = server.stop();
  await until(
    () => told(server.agent.stage(proposal())),
    ({ kind }) => kind !== 'answered', // it takes no more calls
  );
  letGo();
  expect((await confirm).status).toBe(ConfirmStatus.EXECUTED);
  expect(await stopped).toBe(0);
});

test('is heard out when the caller hangs up after the claim, and Get tells the outcome', async () => {
  const server = await place.server();
  const actionId = await stage(server);
  const { working, letGo } = holdAnswers(1);
  const caller = new AbortController();
  const confirm = told(server.approver.confirm({ actionId }, { signal: caller.signal }));
  await working;
  caller.abort();
  expect(await confirm).toMatchObject({ kind: 'unknown', status: 'Canceled' });
  letGo();
  const { action } = await until(
    () => server.approver.get({ key: { case: 'actionId', value: actionId } }),
    (answer) => answer.action?.state !== ActionState.EXECUTING,
  );
  expect(action).toMatchObject({ state: ActionState.SUCCEEDED, resultJson: '{"ok":true}' });
  expect(place.endpoint.calls.filter((call) => call.actionId === actionId)).toHaveLength(1);
});
