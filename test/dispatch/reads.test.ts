import { describe, expect, test } from 'vitest';
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import type { EndpointSettings } from '../../server/domain/endpoint.ts';
import { answers, startEndpoint } from '../support/endpoint.ts';
import { dispatcherTo, readCall, serve, writeCall } from './calls.ts';

describe('the attempts of a read', () => {
  test.each([
    [1, []],
    [2, [150]],
    [5, [150, 300, 600, 1200]],
  ])('are as many as the endpoint allows: %i', async (maxAttempts, gaps) => {
    const { endpoint, dispatcher } = await serve({ settings: { maxAttempts } });
    endpoint.answer(answers.http(503));
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed', attempts: maxAttempts });
    expect(dispatcher.gaps).toEqual(gaps);
    expect(endpoint.calls).toHaveLength(maxAttempts);
  });

  test('each has a deadline of its own', async () => {
    const endpoint = await startEndpoint();
    endpoint.answer(answers.http(503));
    let now = Date.parse('2026-01-01T00:00:00Z');
    const dispatcher = dispatcherTo(endpoint.settings, {
      now: () => now,
      delay: async (ms) => {
        now += ms;
      },
    });
    await dispatcher.read(readCall());
    expect(endpoint.calls.map(({ deadline }) => deadline.toISOString())).toEqual([
      '2026-01-01T00:00:05.000Z',
      '2026-01-01T00:00:05.150Z',
      '2026-01-01T00:00:05.450Z',
    ]);
    await endpoint.close();
  });

  test('end when the caller leaves between two of them, in real time', async () => {
    const endpoint = await startEndpoint();
    endpoint.answer(answers.http(503));
    const dispatcher = createDispatcher({ endpoints: () => endpoint.settings });
    const leaving = new AbortController();
    const read = dispatcher.read(readCall({ signal: leaving.signal }));
    await endpoint.arrived(2);
    leaving.abort();
    expect(await read).toMatchObject({ kind: 'failed', attempts: 2 });
    await dispatcher.close();
    await endpoint.close();
    expect(endpoint.calls).toHaveLength(2);
  });
});

test('settings are those of the moment of the call', async () => {
  const json = await startEndpoint({ transport: 'json' });
  const grpc = await startEndpoint({ transport: 'grpc' });
  let settings: EndpointSettings = json.settings;
  const dispatcher = createDispatcher({ endpoints: () => settings });
  await dispatcher.write(writeCall());
  settings = { ...json.settings, bearerToken: 'rotated' };
  await dispatcher.write(writeCall());
  settings = grpc.settings;
  await dispatcher.write(writeCall());
  expect(json.calls.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer rotated']);
  expect(grpc.calls).toHaveLength(1);
  await Promise.all([dispatcher.close(), json.close(), grpc.close()]);
});
