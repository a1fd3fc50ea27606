import { expect, test } from 'vitest';
import { createParts } from '../../server/process/parts.ts';

/** A clock that the test moves; who waits is let go when its time has come. */
function handClock() {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly go: () => void }>();
  return {
    monotonic: () => now,
    wall: () => now,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        waiting.add({ at: now + ms, go: resolve });
        signal.addEventListener('abort', () => resolve());
      }),
    pass(ms: number) {
      now += ms;
      for (const { at, go } of waiting) if (at <= now) go();
    },
  };
}

function opened(drainMs: number) {
  const clock = handClock();
  const said: string[] = [];
  const tell = (_: object, message: string) => void said.push(message);
  return { clock, said, parts: createParts(drainMs, clock, { info: tell, warn: tell, error: tell }) };
}

test('what was started last is closed first, and once', async () => {
  const { parts } = opened(1_000);
  const closed: string[] = [];
  parts.add({ close: async () => closed.push('first') });
  parts.onClose(async () => closed.push('second'));
  await Promise.all([parts.close(), parts.close()]);
  expect(closed).toEqual(['second', 'first']);
});

test('all parts share the time of the drain', async () => {
  const { parts, clock } = opened(1_000);
  const left: number[] = [];
  parts.onClose(async () => left.push(parts.leftMs()));
  parts.onClose(async () => {
    left.push(parts.leftMs());
    clock.pass(700);
  });
  expect(parts.leftMs()).toBe(1_000);
  await parts.close();
  expect(left).toEqual([1_000, 300]);
});

test('a part that fails or hangs does not keep the others open', async () => {
  const { parts, clock, said } = opened(1_000);
  const closed: string[] = [];
  parts.onClose(async () => closed.push('last'));
  parts.onClose(async () => {
    throw new Error('broken');
  });
  const hangs = Promise.withResolvers<void>();
  parts.onClose(() => {
    hangs.resolve();
    return new Promise(() => undefined);
  });
  const closing = parts.close();
  await hangs.promise;
  clock.pass(60_000);
  await closing;
  expect(closed).toEqual(['last']);
  expect(said).toEqual(['a part did not close in time and is left behind', 'a part did not close cleanly']);
});
