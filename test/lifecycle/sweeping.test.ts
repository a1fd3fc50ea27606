import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { passExpiry, passMoment } from './backdate.ts';
import { confirm, heldAnswer, seen } from './play.ts';
import { openSetting, type Setting } from './setting.ts';

let setting: Setting;
/** What cannot be written. */
const stuck = new Set<ActionId>();

beforeAll(async () => {
  setting = await openSetting((store) => ({
    ...store,
    async apply(change) {
      if (stuck.has(change.action.id)) throw new Error('this one cannot be written');
      return store.apply(change);
    },
  }));
});
afterAll(() => setting.close());

test('an action that cannot expire holds up no other, and is not passed over in silence', async () => {
  const replica = setting.replica();
  const staged = [await setting.stage(replica), await setting.stage(replica), await setting.stage(replica)];
  for (const { id } of staged) await passExpiry(setting.database, id);
  const [first] = staged;
  stuck.add(first?.id ?? ('' as ActionId));
  await expect(replica.lifecycle.sweeps.expire()).rejects.toThrow('this one cannot be written');
  const states = await Promise.all(staged.map(({ id }) => seen(setting, id)));
  expect(states).toEqual(['PENDING/NONE []', 'EXPIRED/NONE []', 'EXPIRED/NONE []']);
  stuck.clear();
  expect(await replica.lifecycle.sweeps.expire()).toBe(1);
});

test('an attempt whose silence cannot be written holds up no other', async () => {
  const replica = setting.replica();
  const staged = [await setting.stage(replica), await setting.stage(replica)];
  for (const { id } of staged) {
    const held = heldAnswer(setting);
    void confirm(replica, id);
    await held.arrived;
    await passMoment(setting.database, id, 1, 'lease');
  }
  const [first] = staged;
  stuck.add(first?.id ?? ('' as ActionId));
  await expect(setting.replica().lifecycle.sweeps.orphans()).rejects.toThrow('this one cannot be written');
  const states = await Promise.all(staged.map(({ id }) => seen(setting, id)));
  expect(states).toEqual(['EXECUTING/UNKNOWN [OPEN/UNKNOWN]', 'INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]']);
  stuck.clear();
  expect(await setting.replica().lifecycle.sweeps.orphans()).toBe(1);
});
