import { describe, expect, test } from 'vitest';
import { createPlaces } from '../../server/dispatch/places.ts';
import { answers } from '../support/endpoint.ts';
import { dispatcherTo, readCall, serve, settingsOf } from './calls.ts';

const never = new AbortController().signal;
/** Lets everything that is ready happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the places of an endpoint', () => {
  test('who comes when all are taken waits, and is served in order', async () => {
    const dispatcher = dispatcherTo(settingsOf('http://127.0.0.1:9', { maxConcurrent: 1 }));
    const first = await dispatcher.reserve('endpoint', never);
    const order: string[] = [];
    const second = dispatcher.reserve('endpoint', never).then((place) => {
      order.push('second');
      return place;
    });
    const third = dispatcher.reserve('endpoint', never).then((place) => {
      order.push('third');
      return place;
    });
    await settled();
    expect(order).toEqual([]);
    first?.release();
    (await second)?.release();
    (await third)?.release();
    expect(order).toEqual(['second', 'third']);
  });

  test('a place given back twice is one place', async () => {
    const places = createPlaces(20);
    const first = await places.take('a', () => 1, never);
    const second = places.take('a', () => 1, never);
    first?.release();
    first?.release();
    expect(await second).toBeDefined();
    expect(await places.take('a', () => 1, never)).toBeUndefined();
  });

  test('waiting ends', async () => {
    const places = createPlaces(20);
    await places.take('a', () => 1, never);
    expect(await places.take('a', () => 1, never)).toBeUndefined();
  });

  test('who leaves gives up the wait, and the next in line is served', async () => {
    const places = createPlaces();
    const first = await places.take('a', () => 1, never);
    const leaving = new AbortController();
    const second = places.take('a', () => 1, leaving.signal);
    const third = places.take('a', () => 1, never);
    leaving.abort();
    expect(await second).toBeUndefined();
    first?.release();
    expect(await third).toBeDefined();
    expect(await places.take('a', () => 9, AbortSignal.abort())).toBeUndefined();
  });

  test('endpoints do not wait for each other', async () => {
    const places = createPlaces();
    await places.take('a', () => 1, never);
    expect(await places.take('b', () => 1, never)).toBeDefined();
  });

  test('a raised limit counts from the next release on', async () => {
    const places = createPlaces();
    let limit = 1;
    const first = await places.take('a', () => limit, never);
    const waiting = [places.take('a', () => limit, never), places.take('a', () => limit, never)];
    limit = 2;
    first?.release();
    expect((await Promise.all(waiting)).every((place) => place !== undefined)).toBe(true);
  });

  test('reads take places too, one per attempt, and give them back', async () => {
    const { endpoint, dispatcher } = await serve({ settings: { maxConcurrent: 2 } });
    const gate = Promise.withResolvers<void>();
    endpoint.answer(async () => {
      await gate.promise;
      return answers.http(503);
    });
    const reads = Array.from({ length: 6 }, () => dispatcher.read(readCall()));
    await endpoint.arrived(2);
    for (let turn = 0; turn < 20; turn += 1) await settled();
    expect(endpoint.calls).toHaveLength(2);
    gate.resolve();
    await Promise.all(reads);
    expect(endpoint.calls).toHaveLength(18);
  });
});
