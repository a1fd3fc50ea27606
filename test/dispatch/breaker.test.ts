import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { readCall, serve, writeCall } from './calls.ts';

// The breaker goes by the wall clock; nothing else of time stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const openMs = 10_000;
const settings = { maxAttempts: 3, breaker: { failures: 6, openMs } };

test('an endpoint whose reads fail again and again is left alone, and one attempt decides when it is asked again', async () => {
  const { endpoint, dispatcher } = await serve({ settings });
  endpoint.answer(answers.http(503));
  for (let read = 0; read < 2; read += 1) expect(await dispatcher.read(readCall())).toMatchObject({ attempts: 3 });
  expect(endpoint.calls).toHaveLength(6);

  vi.setSystemTime(Date.now() + 3_500);
  expect(await dispatcher.read(readCall())).toMatchObject({
    kind: 'failed',
    attempts: 1,
    error: { code: 'TOOL_UNAVAILABLE', effect: 'NONE', retryable: true, retryAfterSeconds: 7 },
  });
  expect(endpoint.calls).toHaveLength(6);

  vi.setSystemTime(Date.now() + openMs);
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed', error: { retryAfterSeconds: 10 } });
  expect(endpoint.calls).toHaveLength(7);

  vi.setSystemTime(Date.now() + openMs);
  endpoint.answer(answers.result('{"ok":true}'));
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result' });
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result' });
  expect(dispatcher.logged.map(({ failures }) => failures).filter(Boolean)).toEqual([6, 6]);
});

test('while the attempt that decides is under way the others are answered at once', async () => {
  const { endpoint, dispatcher } = await serve({ settings: { maxAttempts: 1, breaker: { failures: 1, openMs } } });
  endpoint.answerNext(answers.http(503));
  await dispatcher.read(readCall());
  vi.setSystemTime(Date.now() + openMs);
  const gate = Promise.withResolvers<void>();
  endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{"ok":true}');
  });
  const trial = dispatcher.read(readCall());
  await endpoint.arrived(2);
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed', error: { retryAfterSeconds: 1 } });
  gate.resolve();
  expect(await trial).toMatchObject({ kind: 'result' });
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result' });
});

test.for([
  ['an answer that says no', answers.http(404)],
  ['an answer that is not JSON', answers.result('no')],
  ['an answer that is too large', answers.result(JSON.stringify('x'.repeat(300_000)))],
] as const)('%s shows that the endpoint is there', async ([, answer]) => {
  const { endpoint, dispatcher } = await serve({ settings: { maxAttempts: 1, breaker: { failures: 2, openMs } } });
  for (let read = 0; read < 3; read += 1) {
    endpoint.answerNext(answers.http(503), answer);
    await dispatcher.read(readCall());
    await dispatcher.read(readCall());
  }
  expect(endpoint.calls).toHaveLength(6);
});

test('writes are sent all the same, and a caller that leaves is no failure of the endpoint', async () => {
  const { endpoint, dispatcher } = await serve({ settings: { maxAttempts: 1, breaker: { failures: 1, openMs } } });
  const leaving = new AbortController();
  endpoint.answerNext(async () => {
    leaving.abort();
    return answers.result('{"ok":true}');
  });
  expect(await dispatcher.read(readCall({ signal: leaving.signal }))).toMatchObject({ kind: 'failed' });
  endpoint.answerNext(answers.http(503));
  expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed' });
  expect(await dispatcher.read(readCall())).toMatchObject({ error: { retryAfterSeconds: 10 } });
  expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded' });
  expect(endpoint.applied).toHaveLength(1);
});

test('a caller that leaves shows nothing: it ends no row of failures, and decides nothing', async () => {
  const { endpoint, dispatcher } = await serve({ settings: { maxAttempts: 1, breaker: { failures: 2, openMs } } });
  const leave = async () => {
    const leaving = new AbortController();
    endpoint.answerNext(async () => {
      leaving.abort();
      return answers.result('{"ok":true}');
    });
    expect(await dispatcher.read(readCall({ signal: leaving.signal }))).toMatchObject({ kind: 'failed' });
  };
  endpoint.answerNext(answers.http(503));
  await dispatcher.read(readCall());
  await leave();
  endpoint.answerNext(answers.http(503));
  await dispatcher.read(readCall());
  expect(endpoint.calls).toHaveLength(3);
  expect(await dispatcher.read(readCall())).toMatchObject({ error: { retryAfterSeconds: 10 } });

  vi.setSystemTime(Date.now() + openMs);
  await leave();
  expect(endpoint.calls).toHaveLength(4);
  expect(await dispatcher.read(readCall())).toMatchObject({ error: { retryAfterSeconds: 10 } });
  expect(endpoint.calls).toHaveLength(4);
});
