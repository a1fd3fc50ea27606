import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { watchHealth } from '../support/health-client.ts';
import { createWay } from '../support/way.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import { type ServerProcess, told } from './server-process.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

/** From now on the endpoint keeps every answer back until it is let go. */
function holdAnswers(): () => void {
  const gate = Promise.withResolvers<void>();
  place.endpoint.answer(async () => {
    await gate.promise;
    return answers.result('{"ok":true}');
  });
  return gate.resolve;
}

/** So many confirms that the endpoint works on. */
async function confirming(server: ServerProcess, count: number) {
  const staged = await Promise.all(Array.from({ length: count }, () => server.agent.stage(proposal())));
  const ids = staged.map(({ action }) => action?.id ?? '');
  const before = place.endpoint.calls.length;
  const confirms = Promise.all(ids.map((actionId) => told(server.approver.confirm({ actionId }))));
  await place.endpoint.arrived(before + count);
  return { ids, confirms };
}

async function statesOf(ids: readonly string[]): Promise<string[]> {
  const rows = await place.database.query<{ state: string }>('select state from action where id = any($1)', [ids]);
  return rows.map(({ state }) => state);
}

function callsOf(ids: readonly string[]): number[] {
  return ids.map((id) => place.endpoint.calls.filter(({ actionId }) => actionId === id).length);
}

const each = <T>(ids: readonly string[], value: T): T[] => ids.map(() => value);

test('SIGTERM during 50 slow confirms: all are settled, none is lost, nothing new is taken, and the process ends', async () => {
  const server = await place.server();
  const letGo = holdAnswers();
  const { ids, confirms } = await confirming(server, 50);
  const stopped = server.stop();
  await until(
    () => told(server.agent.stage(proposal())),
    ({ kind }) => kind !== 'answered',
  );
  expect(await statesOf(ids)).toEqual(each(ids, 'EXECUTING'));
  letGo();
  expect(await confirms).toEqual(
    each(ids, expect.objectContaining({ response: expect.objectContaining({ status: ConfirmStatus.EXECUTED }) })),
  );
  expect(await stopped).toBe(0);
  expect(await statesOf(ids)).toEqual(each(ids, 'SUCCEEDED'));
  expect(callsOf(ids)).toEqual(each(ids, 1));
});

test('an endpoint that does not answer holds the end up no longer than the drain; another server settles what was left', async () => {
  const server = await place.server({ env: { TETHER_DRAIN_SECONDS: '1' } });
  const letGo = holdAnswers();
  const { ids, confirms } = await confirming(server, 5);
  expect(await server.stop()).toBe(0);
  for (const answer of await confirms) expect(answer.kind).not.toBe('answered');
  // Cut off, and recorded as that if the time was enough.
  for (const state of await statesOf(ids)) expect(['INDETERMINATE', 'EXECUTING']).toContain(state);
  letGo();

  await place.database.query(
    `with old as (update attempt set started_at = started_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour',
        lease_until = lease_until - interval '1 hour' where action_id = any($1) and finished_at is null returning action_id)
      update action set sweep_at = now() from old where id = action_id`,
    [ids],
  );
  await place.server();
  await until(
    async () => {
      await place.hurrySweeps();
      return statesOf(ids);
    },
    (states) => states.every((state) => state === 'INDETERMINATE'),
  );
  expect(callsOf(ids)).toEqual(each(ids, 1));
});

test('a database that does not answer holds the end up no longer than the drain', async () => {
  const way = await createWay(place.database.url);
  const server = await place.server({ databaseUrl: way.url, env: { TETHER_DRAIN_SECONDS: '1' } });
  const letGo = holdAnswers();
  const { ids, confirms } = await confirming(server, 3);
  way.deaf();
  letGo();
  expect(await server.stop()).toBe(0);
  for (const answer of await confirms) expect(answer.kind).not.toBe('answered');
  await way.close();
  expect(callsOf(ids)).toEqual(each(ids, 1));
});

test('a stop says first that nothing is ready and serves on meanwhile; a second signal ends the wait', async () => {
  const server = await place.server({ env: { TETHER_DRAIN_DELAY_SECONDS: '3600' } });
  const letGo = holdAnswers();
  const health = await watchHealth(server.grpcAddress, 'tether.v1.ActionService');
  expect(health.heard).toEqual(['SERVING']);
  const stopped = server.stop();
  await health.until('NOT_SERVING');
  const ready = await fetch(`${server.httpUrl}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ status: 'draining' })]);
  expect((await fetch(`${server.httpUrl}/livez`)).status).toBe(200);
  const { ids, confirms } = await confirming(server, 2);

  server.signal('SIGTERM');
  await until(
    () => told(server.agent.stage(proposal())),
    ({ kind }) => kind !== 'answered',
  );
  letGo();
  await confirms;
  expect(await statesOf(ids)).toEqual(each(ids, 'SUCCEEDED'));
  expect(await stopped).toBe(0);
  health.close();
});
