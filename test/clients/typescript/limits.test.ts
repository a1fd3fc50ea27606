import { createTetherClient, TetherError } from '@tether/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
let url: string;
beforeAll(async () => {
  place = await openClientPlace();
  ({ httpUrl: url } = await place.server({ TETHER_RATE_LIMIT: '1' }));
});
afterAll(() => place.close());

test('reads that come too fast wait for as long as the server asks, and get their answers', async () => {
  const client = createTetherClient({ url, key: place.keys.agent, retry: { baseDelayMs: 1 } });
  const [first, second] = await Promise.all([client.listTools(), client.listTools()]);
  expect(second).toEqual(first);
});

test('without repeats they are told when to come again, and that nothing happened', async () => {
  const client = createTetherClient({ url, key: place.keys.agent, retry: { repeats: 0 } });
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => client.listTools()));
  const errors = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toBeInstanceOf(TetherError);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', effect: 'NONE', retryable: true, limit: 1 });
    expect(error.retryAfterMs).toBeGreaterThan(0);
  }
});
