import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';
import { nameOf } from './name-of.ts';
import { openPlace, type Place, proposal } from './place.ts';
import { type ServerProcess, told } from './server-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let place: Place;
let servers: ServerProcess[];
beforeAll(async () => {
  place = await openPlace();
  servers = await Promise.all([place.server(), place.server()]);
});
afterAll(() => place.close());

async function stage(): Promise<string> {
  const { action } = await pick(0).agent.stage(proposal());
  return action?.id ?? '';
}

function pick(n: number): ServerProcess {
  const server = servers[n % servers.length];
  if (server === undefined) throw new Error('no server');
  return server;
}

/** What each of them is told, in short. */
async function confirmAll(id: string, from: number, to: number): Promise<string[]> {
  const calls = Array.from({ length: to - from }, async (_, k) => {
    const answer = await told(pick(from + k).approver.confirm({ actionId: id }));
    if (answer.kind === 'answered') {
      return `${nameOf(ConfirmStatus, answer.response.status)} ${answer.response.resultJson} ${answer.response.idempotentReplay}`;
    }
    return answer.kind === 'refused' ? `${answer.code} ${nameOf(Effect, answer.effect)}` : answer.status;
  });
  return Promise.all(calls);
}

const result = '{"status":"void","at":9007199254740993}';
const executed = `EXECUTED ${result} false`;
const replayed = `REPLAYED ${result} true`;
const inFlight = 'CONFIRM_IN_FLIGHT NONE';

describe('100 concurrent confirms over two processes make one call', () => {
  test.each([1, 2, 3])('when the endpoint answers at once, round %i', async () => {
    const id = await stage();
    place.endpoint.answer(answers.result(result));
    const all = await confirmAll(id, 0, 100);
    expect(place.endpoint.calls.filter(({ actionId }) => actionId === id)).toHaveLength(1);
    expect(all.filter((each) => each === executed)).toHaveLength(1);
    expect(all.filter((each) => each !== executed && each !== replayed && each !== inFlight)).toEqual([]);
  });

  test('when the endpoint takes its time, and everybody gets its result afterwards', async () => {
    const id = await stage();
    const before = place.endpoint.calls.length;
    const gate = Promise.withResolvers<EndpointAnswer>();
    place.endpoint.answerNext(() => gate.promise);
    const first = confirmAll(id, 0, 1);
    await place.endpoint.arrived(before + 1);
    const meanwhile = await confirmAll(id, 1, 60);
    gate.resolve(answers.result(result));
    expect(await first).toEqual([executed]);
    const afterwards = await confirmAll(id, 60, 100);
    expect(place.endpoint.calls.filter(({ actionId }) => actionId === id)).toHaveLength(1);
    expect(new Set(meanwhile)).toEqual(new Set([inFlight]));
    expect(new Set(afterwards)).toEqual(new Set([replayed]));
  });
});

test('the same proposal staged 50 times at once over two processes makes one action', async () => {
  const proposed = proposal();
  const staged = await Promise.all(Array.from({ length: 50 }, (_, k) => pick(k).agent.stage(proposed)));
  expect(new Set(staged.map(({ action }) => action?.id)).size).toBe(1);
  expect(staged.filter(({ idempotentReplay }) => !idempotentReplay)).toHaveLength(1);
});

test('what one process staged is confirmed by another after the first was killed', async () => {
  const doomed = await place.server();
  const { action } = await doomed.agent.stage(proposal());
  await doomed.kill();
  place.endpoint.answer(answers.result(result));
  const { status } = await pick(1).approver.confirm({ actionId: action?.id });
  expect(status).toBe(ConfirmStatus.EXECUTED);
});
