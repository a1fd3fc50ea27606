import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../server/domain/principal.ts';
import type { WatchUpdate } from '../../server/lifecycle/lifecycle.ts';
import type { ActionFilter } from '../../server/lifecycle/ports/action-store.ts';
import type { EventLog } from '../../server/lifecycle/ports/events.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse, type Wrappers } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());

let plans = 0;
const newPlan = () => {
  plans += 1;
  return `watch-${plans}`;
};
const note = (text: string, planId: string, over = {}) =>
  house.stage({ text: `${planId} ${text}` }, { tool: 'note', planId, ...over });

/** A stream that is read one update at a time. */
function open(filter: ActionFilter, options: { cursor?: string; by?: Principal; wrappers?: Wrappers } = {}) {
  const gone = new AbortController();
  const { cursor = '', by = house.principal('approver'), wrappers } = options;
  const lifecycle = wrappers === undefined ? house.lifecycle : house.another(wrappers);
  const stream = lifecycle.watch(by, { filter, cursor }, gone.signal)[Symbol.asyncIterator]();
  return {
    async next(): Promise<WatchUpdate> {
      const { value, done } = await stream.next();
      if (done) throw new Error('the stream is over');
      return value;
    },
    async close() {
      gone.abort();
      await stream.return?.();
    },
  };
}

const told = (update: WatchUpdate) =>
  update.kind === 'change' ? `${update.event.type} ${update.event.version}` : update.kind;

test('first the actions as they are, then a sign that these were all, then every change', async () => {
  const planId = newPlan();
  const before = await note('before', planId);
  const stream = open({ planId });
  expect(await stream.next()).toMatchObject({ kind: 'snapshot', action: { id: before.action.id } });
  expect(await stream.next()).toMatchObject({ kind: 'heartbeat' });
  const after = await note('after', planId);
  expect(await stream.next()).toMatchObject({
    kind: 'change',
    event: { actionId: after.action.id, type: 'STAGED' },
    action: { state: 'PENDING' },
  });
  await house.confirm(before.action.id);
  expect([told(await stream.next()), told(await stream.next())]).toEqual(['CLAIMED 2', 'SETTLED 3']);
  await stream.close();
});

test('a decision that was made before anybody watched is in the snapshot', async () => {
  const planId = newPlan();
  const { action } = await note('decided', planId);
  await house.confirm(action.id);
  const stream = open({ planId });
  expect(await stream.next()).toMatchObject({ kind: 'snapshot', action: { state: 'SUCCEEDED' } });
  await stream.close();
});

test('what changes while the snapshot is read is told once', async () => {
  const planId = newPlan();
  const { action } = await note('meanwhile', planId);
  const stream = open(
    { planId },
    {
      wrappers: {
        store: (store) => ({
          ...store,
          async list(query) {
            await house.confirm(action.id);
            return store.list(query);
          },
        }),
      },
    },
  );
  expect(await stream.next()).toMatchObject({ kind: 'snapshot', action: { state: 'SUCCEEDED', version: 3 } });
  expect(await stream.next()).toMatchObject({ kind: 'heartbeat' });
  const next = await note('next', planId);
  expect(await stream.next()).toMatchObject({ kind: 'change', event: { actionId: next.action.id } });
  await stream.close();
});

test('a stream that was cut goes on from its cursor, without a snapshot and without a gap', async () => {
  const planId = newPlan();
  const { action } = await note('cut', planId);
  const first = open({ planId });
  await first.next();
  const { cursor } = await first.next();
  await first.close();
  await house.confirm(action.id);
  const second = open({ planId }, { cursor });
  expect(told(await second.next())).toBe('heartbeat');
  const claimed = await second.next();
  expect(told(claimed)).toBe('CLAIMED 2');
  await second.close();
  const third = open({ planId }, { cursor: claimed.cursor });
  expect([told(await third.next()), told(await third.next())]).toEqual(['heartbeat', 'SETTLED 3']);
  await third.close();
});

test('a missed notification costs latency, and no event', async () => {
  const planId = newPlan();
  const deaf = (events: EventLog): EventLog => ({ ...events, listen: () => () => undefined });
  const stream = open({ planId }, { wrappers: { events: deaf } });
  await stream.next();
  const { action } = await note('unheard', planId);
  expect(await stream.next()).toMatchObject({ event: { actionId: action.id } });
  await stream.close();
});

test('an action that leaves the filter is told once more, as it is then', async () => {
  const planId = newPlan();
  const { action } = await note('leaves', planId);
  const stream = open({ planId, states: ['PENDING'] });
  await stream.next();
  await stream.next();
  house.endpoint.answerNext(answers.refusal({ message: 'No.' }));
  await house.confirm(action.id);
  expect(await stream.next()).toMatchObject({ kind: 'change', event: { type: 'CLAIMED' } });
  const other = await note('stays', planId);
  const updates = [await stream.next()];
  while (told(updates.at(-1) as WatchUpdate) !== 'STAGED 1') updates.push(await stream.next());
  expect(updates.at(-1)).toMatchObject({ event: { actionId: other.action.id } });
  await stream.close();
});

test('what left the filter while nobody watched is told when the stream goes on, and only once', async () => {
  const planId = newPlan();
  const doubts = [await note('first', planId), await note('second', planId)].map(({ action }) => action.id);
  house.endpoint.answerNext(answers.reset(true), answers.reset(true));
  for (const id of doubts) await house.confirm(id);
  const filter = { planId, needsAttention: true };
  const before = open(filter);
  expect([told(await before.next()), told(await before.next())]).toEqual(['snapshot', 'snapshot']);
  const { cursor } = await before.next();
  await before.close();

  const [settled, later] = doubts;
  if (settled === undefined || later === undefined) throw new Error('no doubts');
  const resolve = (actionId: typeof settled) => {
    const said = { landed: true, resultJson: null, note: 'seen', expectedAttempts: 1, observedAt: new Date() };
    return house.lifecycle.resolve(house.principal('approver'), { actionId, ...said });
  };
  await resolve(settled);
  const after = open(filter, { cursor });
  expect(told(await after.next())).toBe('heartbeat');
  expect(await after.next()).toMatchObject({ event: { actionId: settled, type: 'RESOLVED' } });
  await resolve(later);
  expect(await after.next()).toMatchObject({ event: { actionId: later, type: 'RESOLVED' } });
  await after.close();
});

test('an agent is told of what its own credential proposed only, and nobody of another tenant', async () => {
  const planId = newPlan();
  const mine = open({ planId }, { by: house.principal('agent') });
  const other = open({}, { by: house.principal('operator', { tenantId: 'elsewhere' }) });
  await mine.next();
  await other.next();
  await house.stage(
    { text: `${planId} x` },
    { tool: 'note', planId },
    house.principal('agent', { credentialId: 'key-b' }),
  );
  const { action } = await note('mine', planId);
  expect(await mine.next()).toMatchObject({ event: { actionId: action.id } });
  const elsewhere = await house.stage(
    { text: planId },
    { tool: 'note' },
    house.principal('agent', { tenantId: 'elsewhere' }),
  );
  expect(await other.next()).toMatchObject({ event: { actionId: elsewhere.action.id } });
  await mine.close();
  await other.close();
});

test('nothing for 15 seconds is a heartbeat', async () => {
  let time = 0;
  const clock = {
    monotonic: () => time,
    async delay(ms: number) {
      time += ms;
    },
  };
  const stream = open({ planId: newPlan() }, { wrappers: { clock } });
  await stream.next();
  const begun = time;
  expect(await stream.next()).toMatchObject({ kind: 'heartbeat' });
  expect(time - begun).toBeGreaterThanOrEqual(14_000);
  expect(time - begun).toBeLessThanOrEqual(16_000);
  await stream.close();
});

test('a cursor that no stream has handed out is refused', async () => {
  const stream = open({}, { cursor: 'nonsense' });
  expect(await refusal(stream.next())).toMatchObject({ code: 'INVALID_CURSOR' });
});
