import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

const note = async (text: string) => (await house.stage({ text }, { tool: 'note', requestId: `r ${text}` })).action.id;
const settledLongAgo = (id: ActionId) =>
  house.db.query(
    `update action set settled_at = settled_at - interval '31 days', created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days' where id = $1`,
    [id],
  );
const left = async (id: ActionId) => {
  const tables = ['attempt', 'intent', 'stage_request', 'confirm_key', 'event'];
  const counts = await Promise.all(
    tables.map((table) => house.db.query(`select 1 from ${table} where action_id = $1`, [id])),
  );
  return Object.fromEntries(tables.map((table, n) => [table, counts[n]?.length]));
};
const isThere = async (id: ActionId) => (await house.db.query('select 1 from action where id = $1', [id])).length === 1;

test('a settled action goes after its time, with all that hangs on it but its events', async () => {
  const id = await note('old');
  await house.confirm(id, { idempotencyKey: 'k-old' });
  const young = await note('young');
  await house.confirm(young);
  await settledLongAgo(id);
  await house.lifecycle.sweeps.retention();
  expect(await isThere(id)).toBe(false);
  expect(await left(id)).toEqual({ attempt: 0, intent: 0, stage_request: 0, confirm_key: 0, event: 3 });
  expect(await isThere(young)).toBe(true);
});

test('what is in doubt is never deleted, whatever its age', async () => {
  const id = await note('doubt');
  house.endpoint.answerNext(answers.http(500, 'x'), answers.refusal({ message: 'Already void.' }));
  await house.confirm(id);
  await house.confirm(id);
  expect(await house.row(id)).toMatchObject({ state: 'REFUSED', effect: 'UNKNOWN' });
  await settledLongAgo(id);
  await house.lifecycle.sweeps.retention();
  expect(await isThere(id)).toBe(true);
});

test('what still waits is never deleted', async () => {
  const id = await note('waits');
  await house.db.query(`update action set created_at = created_at - interval '99 days' where id = $1`, [id]);
  await house.lifecycle.sweeps.retention();
  expect(await isThere(id)).toBe(true);
});

test('events go after a time of their own', async () => {
  const id = await note('events');
  await house.confirm(id);
  await house.db.forge(`update event set at = at - interval '366 days' where action_id = $1 and version < 3`, [id]);
  await house.lifecycle.sweeps.retention();
  expect(await left(id)).toMatchObject({ event: 1 });
  expect(await isThere(id)).toBe(true);
});
