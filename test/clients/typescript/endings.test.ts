import { createTetherClient, type TetherClient } from '@tether/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers } from '../../support/endpoint.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';
import { startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
let url: string;
let agent: TetherClient;
let approver: TetherClient;
beforeAll(async () => {
  place = await openClientPlace();
  ({ httpUrl: url } = await place.server());
  agent = createTetherClient({ url, key: place.keys.agent });
  approver = createTetherClient({ url, key: place.keys.approver });
});
afterAll(() => place.close());

let tickets = 0;
/** A staged write whose endpoint answers when the gate is opened. */
async function held() {
  tickets += 1;
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: `E-${tickets}` } });
  const gate = Promise.withResolvers<void>();
  const arrived = place.endpoint.arrived(place.endpoint.calls.length + 1);
  place.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{"status":"void"}');
  });
  return { action, arrived, open: gate.resolve };
}

test('a confirm that is aborted rejects at once with effect UNKNOWN, is not repeated, and is finished all the same', async () => {
  const { action, arrived, open } = await held();
  const leaving = new AbortController();
  const confirming = failureOf(approver.confirm({ action }, { signal: leaving.signal }));
  await arrived;
  leaving.abort();
  expect(await confirming).toMatchObject({ code: 'CANCELED', effect: 'UNKNOWN', answered: false });
  const outcome = approver.waitForOutcome(action);
  open();
  expect((await outcome).action).toMatchObject({ state: 'SUCCEEDED', attemptsUsed: 1 });
});

test('what is aborted before it is sent did nothing', async () => {
  const proxy = await startProxy(url);
  const client = createTetherClient({ url: proxy.url, key: place.keys.agent });
  const call = client.stage({ tool: 'void_ticket', arguments: { ticket_id: 'E-no' } }, { signal: AbortSignal.abort() });
  expect(await failureOf(call)).toMatchObject({ code: 'CANCELED', effect: 'NONE' });
  expect(proxy.connections()).toBe(0);
  await proxy.close();
});

test.each([
  ['timeoutMs', () => ({ timeoutMs: 200 })],
  ['AbortSignal.timeout', () => ({ signal: AbortSignal.timeout(200) })],
])(
  'a confirm whose time is over (%s) rejects with DEADLINE_EXCEEDED and effect UNKNOWN, after one call',
  async (_, options) => {
    const { action, arrived, open } = await held();
    const before = place.endpoint.calls.length;
    expect(await failureOf(approver.confirm({ action }, options()))).toMatchObject({
      ...{ code: 'DEADLINE_EXCEEDED', effect: 'UNKNOWN', alternatives: [{ action: 'get' }] },
    });
    await arrived;
    const outcome = approver.waitForOutcome(action);
    open();
    expect((await outcome).action.attemptsUsed).toBe(1);
    expect(place.endpoint.calls).toHaveLength(before + 1);
  },
);

test('one try that takes too long counts as lost, and the next gets the answer', async () => {
  const { action, arrived, open } = await held();
  const proxy = await startProxy(url);
  const hasty = createTetherClient({
    ...{ url: proxy.url, key: place.keys.approver, retry: { tryTimeoutMs: 150, baseDelayMs: 5, maxDelayMs: 20 } },
  });
  const confirming = hasty.confirm({ action });
  await arrived;
  // The first that is passed on is what the second try is told: that a confirm is in flight.
  await proxy.answeredAgain();
  open();
  expect(await confirming).toMatchObject({ idempotentReplay: true, action: { state: 'SUCCEEDED', attemptsUsed: 1 } });
  await proxy.close();
});

test('a key is asked for before every request, and what its function throws is what the call rejects with', async () => {
  const keys = ['no-key-of-anybody', place.keys.agent];
  const client = createTetherClient({
    url,
    key: async () => keys.shift() ?? Promise.reject(new Error('no more keys')),
  });
  expect(await failureOf(client.listTools())).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await client.listTools()).toHaveLength(2);
  await expect(client.listTools()).rejects.toThrow('no more keys');
});
