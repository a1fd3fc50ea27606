import { type Action, createTetherClient, type TetherClient } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answers } from '../../support/endpoint.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
let url: string;
let grpcAddress: string;
beforeAll(async () => {
  place = await openClientPlace();
  ({ httpUrl: url, grpcAddress } = await place.server());
});
afterAll(() => place.close());

let proxy: TcpProxy;
/** Speaks to the server itself. */
let agent: TetherClient;
/** Speaks through the proxy. */
let approver: TetherClient;
beforeEach(async () => {
  proxy = await startProxy(url);
  agent = createTetherClient({ url, key: place.keys.agent });
  approver = createTetherClient({ url: proxy.url, key: place.keys.approver, retry: { baseDelayMs: 5 } });
});
afterEach(() => proxy.close());

let tickets = 0;
async function staged(): Promise<Action> {
  tickets += 1;
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: `L-${tickets}` } });
  return action;
}

/** How often the endpoint was asked to make the write. */
function callsFor({ id }: Action): number {
  return place.endpoint.calls.filter(({ isWrite, actionId }) => isWrite && actionId === id).length;
}

test('a confirm whose answer is lost after the server settled gets the recorded outcome, and the endpoint one call', async () => {
  const action = await staged();
  proxy.loseNextAnswer();
  const confirmed = await approver.confirm({ action });
  expect(confirmed).toMatchObject({
    idempotentReplay: true,
    result: { status: 'void' },
    action: { state: 'SUCCEEDED' },
  });
  expect(proxy.connections()).toBe(2);
  expect(callsFor(action)).toBe(1);
});

test('a confirm that failed retryably and lost its answer is told so, and makes no second attempt', async () => {
  const action = await staged();
  place.endpoint.answerNext(answers.broken('json'));
  proxy.loseNextAnswer();
  const confirmed = await approver.confirm({ action });
  expect(confirmed).toMatchObject({ status: 'FAILED_RETRYABLE', idempotentReplay: true, error: { effect: 'UNKNOWN' } });
  expect(confirmed.action).toMatchObject({ state: 'PENDING', attemptsUsed: 1 });
  expect(proxy.connections()).toBe(2);
  expect(callsFor(action)).toBe(1);
  // A person may: by deciding anew, on what they see now.
  expect(await approver.confirm({ action: confirmed.action })).toMatchObject({ status: 'EXECUTED' });
  expect(callsFor(action)).toBe(2);
});

test.each([
  ['Connect', false],
  ['gRPC', true],
])(
  'a confirm that loses its connection while the endpoint works waits for that call, by %s, and makes no other',
  async (_, grpc) => {
    if (grpc) proxy.retarget(`http://${grpcAddress}`);
    const way = grpc ? { transport: grpcTransport({ url: proxy.url }) } : { url: proxy.url };
    const approver = createTetherClient({ ...way, key: place.keys.approver, retry: { baseDelayMs: 5 } });
    const action = await staged();
    const gate = Promise.withResolvers<void>();
    const before = place.endpoint.calls.length;
    place.endpoint.answerNext(async () => {
      await gate.promise;
      return answers.result('{"status":"void"}');
    });
    const confirming = approver.confirm({ action });
    await place.endpoint.arrived(before + 1);
    proxy.breakAll();
    // The repeat has been told that a confirm is in flight.
    await proxy.answeredAgain();
    gate.resolve();
    expect(await confirming).toMatchObject({ idempotentReplay: true, action: { state: 'SUCCEEDED', attemptsUsed: 1 } });
    expect(callsFor(action)).toBe(1);
  },
);

test('a confirm that is in flight elsewhere is no lost answer: it fails at once, and ran nothing', async () => {
  const action = await staged();
  const gate = Promise.withResolvers<void>();
  const before = place.endpoint.calls.length;
  place.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{}');
  });
  const first = approver.confirm({ action });
  await place.endpoint.arrived(before + 1);
  const second = await failureOf(approver.confirm({ action }));
  expect(second).toMatchObject({ code: 'CONFIRM_IN_FLIGHT', effect: 'NONE', retryable: true, answered: true });
  expect(second.retryAfterMs).toBeGreaterThan(0);
  gate.resolve();
  await first;
});

test('a confirm that never gets an answer fails with effect UNKNOWN, and says how to find out', async () => {
  const action = await staged();
  for (let tries = 0; tries < 5; tries++) proxy.loseNextAnswer();
  const error = await failureOf(approver.confirm({ action }));
  expect(error).toMatchObject({ effect: 'UNKNOWN', answered: false, retryable: true });
  expect(error.alternatives).toMatchObject([{ action: 'get', arguments: { action_id: action.id } }]);
});

test('a refusal after a lost answer does not say that nothing was done', async () => {
  const action = await staged();
  const keys = [place.keys.approver];
  const client = createTetherClient({
    ...{ url: proxy.url, key: () => keys.shift() ?? 'no-key-of-anybody', retry: { baseDelayMs: 5 } },
  });
  proxy.loseNextAnswer();
  const error = await failureOf(client.confirm({ action }));
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED', effect: 'UNKNOWN', answered: true });
  expect(error.message).toContain('sent before');
  expect(error.alternatives).toMatchObject([{ action: 'get', arguments: { action_id: action.id } }]);
  expect((await approver.get({ actionId: action.id })).action.state).toBe('SUCCEEDED');
});

test('a confirm without the attempts that were seen is refused before anything is sent', async () => {
  const action = await staged();
  // @ts-expect-error TypeScript refuses it as well
  const error = await failureOf(approver.confirm({ actionId: action.id }));
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', field: 'expected_attempts', effect: 'NONE' });
  expect(proxy.connections()).toBe(0);
});

test('a proposal whose answer is lost is staged once, and comes back', async () => {
  const through = createTetherClient({ url: proxy.url, key: place.keys.agent, retry: { baseDelayMs: 5 } });
  proxy.loseNextAnswer();
  const { action } = await through.stage({ tool: 'void_ticket', arguments: { ticket_id: 'L-lost' }, userId: 'u-lost' });
  expect(action.state).toBe('PENDING');
  proxy.loseNextAnswer();
  await through.call({ tool: 'void_ticket', arguments: { ticket_id: 'L-lost-too' }, userId: 'u-lost' });
  expect((await agent.list({ userId: 'u-lost' })).actions).toHaveLength(2);
});

test('a read whose answer is lost is made again', async () => {
  const action = await staged();
  proxy.loseNextAnswer();
  expect((await approver.get({ actionId: action.id })).action.id).toBe(action.id);
  expect(proxy.connections()).toBe(2);
});

test('nothing else is made again: a reject whose answer is lost fails with effect UNKNOWN, though it happened', async () => {
  const action = await staged();
  proxy.loseNextAnswer();
  const error = await failureOf(approver.reject({ actionId: action.id, reason: 'No.' }));
  expect(error).toMatchObject({ effect: 'UNKNOWN', answered: false, alternatives: [{ action: 'get' }] });
  expect(proxy.connections()).toBe(1);
  expect((await approver.get({ actionId: action.id })).action).toMatchObject({ state: 'REJECTED' });
});

test('a plan whose connection breaks goes on where it was, and no entry gets a second attempt', async () => {
  const actions = [await staged(), await staged(), await staged()];
  const before = place.endpoint.calls.length;
  const gate = Promise.withResolvers<void>();
  place.endpoint.answerNext(answers.result('{"n":1}'), async () => {
    await gate.promise;
    return answers.result('{"n":2}');
  });
  const told: unknown[] = [];
  for await (const verdict of approver.confirmPlan({ entries: actions.map((action) => ({ action })) })) {
    told.push([verdict.index, verdict.kind === 'confirmed' ? verdict.confirmed.action.state : verdict.kind]);
    if (told.length > 1) continue;
    await place.endpoint.arrived(before + 2);
    proxy.breakAll();
    void proxy.answeredAgain().then(gate.resolve);
  }
  expect(told).toEqual([
    [0, 'SUCCEEDED'],
    [1, 'SUCCEEDED'],
    [2, 'SUCCEEDED'],
  ]);
  expect(actions.map(callsFor)).toEqual([1, 1, 1]);
});
