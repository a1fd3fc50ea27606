import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListInput } from '../../server/lifecycle/lifecycle.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

const note = (text: string, over = {}, by = house.principal('agent')) =>
  house.stage({ text }, { tool: 'note', ...over }, by);
const list = (input: Partial<ListInput> = {}, by = house.principal('approver')) =>
  house.lifecycle.list(by, { filter: {}, pageSize: 0, cursor: '', ...input });
const ids = (listed: Awaited<ReturnType<typeof list>>) => listed.items.map(({ action }) => action.id);

test('pages hand out every action once, newest first, also while new ones are staged', async () => {
  const staged = [];
  for (let n = 0; n < 7; n++) staged.push((await note(`page ${n}`, { planId: 'pages' })).action.id);
  const filter = { planId: 'pages' };
  const first = await list({ filter, pageSize: 3 });
  await note('page 99', { planId: 'pages' });
  const second = await list({ filter, pageSize: 3, cursor: first.nextCursor });
  const third = await list({ filter, pageSize: 3, cursor: second.nextCursor });
  expect([...ids(first), ...ids(second), ...ids(third)].toSorted()).toEqual(staged.toSorted());
  expect(third.nextCursor).toBe('');
  const times = [...first.items, ...second.items, ...third.items].map(({ action }) => action.createdAt.getTime());
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test('each condition of a filter holds', async () => {
  const by = { scope: 'store-9', userId: 'u_9', planId: 'filters' };
  const { action } = await note('filter 1', by);
  const refused = await note('filter 2', by);
  house.endpoint.answerNext(answers.refusal({ message: 'No.' }));
  await house.confirm(refused.action.id);
  const doubtful = await note('filter 3', by);
  house.endpoint.answerNext(answers.reset());
  await house.confirm(doubtful.action.id);
  const plan = { planId: 'filters' };
  expect(ids(await list({ filter: { ...plan, states: ['PENDING'] } }))).toEqual([action.id]);
  expect(ids(await list({ filter: { ...plan, states: ['REFUSED', 'PENDING'] } })).toSorted()).toEqual(
    [action.id, refused.action.id].toSorted(),
  );
  expect(ids(await list({ filter: { ...plan, needsAttention: true } }))).toEqual([doubtful.action.id]);
  expect(ids(await list({ filter: { ...plan, scope: 'store-9', userId: 'u_9', tool: 'note' } }))).toHaveLength(3);
  for (const other of [{ scope: 'store-8' }, { userId: 'u_8' }, { tool: 'refund' }])
    expect(ids(await list({ filter: { ...plan, ...other } }))).toEqual([]);
});

test('a plan that nobody named is found by the plan id that was made', async () => {
  const { action } = await note('plan of one');
  expect(ids(await list({ filter: { planId: action.planId } }))).toEqual([action.id]);
});

test('an agent sees what its own credential proposed, a scoped approver what is in scope, nobody another tenant', async () => {
  const { action } = await note('who sees', { planId: 'who', scope: 'store-1' });
  const filter = { planId: 'who' };
  expect(ids(await list({ filter }, house.principal('agent')))).toEqual([action.id]);
  expect(ids(await list({ filter }, house.principal('agent', { credentialId: 'key-b' })))).toEqual([]);
  expect(ids(await list({ filter }, house.principal('approver', { scopes: ['store-1'] })))).toEqual([action.id]);
  expect(ids(await list({ filter }, house.principal('approver', { scopes: ['store-2'] })))).toEqual([]);
  expect(ids(await list({ filter }, house.principal('operator', { tenantId: 'other' })))).toEqual([]);
});

test('a cursor that was not handed out is refused', async () => {
  expect(await refusal(list({ cursor: 'x' }))).toMatchObject({ code: 'INVALID_CURSOR', field: 'cursor' });
  const events = house.lifecycle.listEvents(house.principal('operator'), { actionId: null, pageSize: 0, cursor: 'x' });
  expect(await refusal(events)).toMatchObject({ code: 'INVALID_CURSOR' });
});

test("an action's events tell who did what, in order, with notes", async () => {
  const { action } = await note('events 1');
  await house.lifecycle.reject(house.principal('approver'), { actionId: action.id, reason: 'Not now.' });
  const { events } = await house.lifecycle.listEvents(house.principal('approver'), {
    actionId: action.id,
    pageSize: 0,
    cursor: '',
  });
  expect(events).toMatchObject([
    { type: 'STAGED', version: 1, from: null, to: 'PENDING', actor: { userId: 'user-agent' }, note: '' },
    {
      type: 'REJECTED',
      version: 2,
      from: 'PENDING',
      to: 'REJECTED',
      actor: { userId: 'user-approver' },
      note: 'Not now.',
    },
  ]);
});

test('the trail of the tenant is for operators, in pages, and its cursor also finds what comes later', async () => {
  const operator = house.principal('operator');
  const read = (cursor: string, pageSize = 3) =>
    house.lifecycle.listEvents(operator, { actionId: null, pageSize, cursor });
  // Another database of the same server may hold transactions open: then what was just written shows a little later.
  const patience = { timeout: 20_000 };
  await expect.poll(async () => (await read('', 7)).events.length, patience).toBe(7);
  let cursor = '';
  let pages = 0;
  for (let more = true; more; pages += 1) {
    const page = await read(cursor);
    expect(page.events.length).toBeLessThanOrEqual(3);
    ({ nextCursor: cursor, more } = page);
  }
  expect(pages).toBeGreaterThan(2);
  const { action } = await note('events 2');
  const later = async () => (await read(cursor)).events;
  await expect.poll(later, patience).toMatchObject([{ actionId: action.id, type: 'STAGED' }]);
  for (const by of [house.principal('approver'), house.principal('operator', { scopes: ['s'] })])
    expect(await refusal(house.lifecycle.listEvents(by, { actionId: null, pageSize: 0, cursor: '' }))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
});
