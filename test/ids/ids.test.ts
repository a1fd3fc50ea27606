import { expect, test } from 'vitest';
import { createIds } from '../../server/ids.ts';

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('an id is a UUIDv7 whose first 48 bits are the time', () => {
  const id = createIds(() => 0x0199_8877_6655).actionId();
  expect(id).toMatch(uuid7);
  expect(id.slice(0, 13)).toBe('01998877-6655');
});

test('later ids sort after earlier ones, within a millisecond, beyond its count, and when the clock goes back', () => {
  let now = 1_000_000;
  const ids = createIds(() => now);
  const made = Array.from({ length: 10_000 }, () => ids.actionId());
  now -= 500;
  for (let n = 0; n < 10; n++) made.push(ids.actionId());
  now += 5_000;
  made.push(ids.actionId());
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((id) => uuid7.test(id))).toBe(true);
});

test('two processes at the same instant make different ids', () => {
  const make = () => createIds(() => 1_000_000).actionId();
  expect(make()).not.toBe(make());
});
