/** Short histories about time that once broke a promise on paper (test/model/README.md), each played on the real thing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { passExpiry, passMoment } from './backdate.ts';
import { again, callsOf, confirm, done, heldAnswer, orphaned, seen } from './play.ts';
import { openSetting, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
});
afterAll(() => setting.close());

describe('a frozen replica', () => {
  test.each([['monotonic'], ['wall']] as const)(
    'whose %s clock says that it waited over 10 s for the reply of its claim sends nothing',
    async (clock) => {
      const replica = setting.replica();
      const other = setting.replica();
      const { id } = await setting.stage(replica);
      const claimed = replica.hold('after claim');
      const answer = confirm(replica, id);
      await claimed.reached;
      replica.freeze(10_001, [clock]);
      await passMoment(setting.database, id, 1, 'lease');
      expect(await other.lifecycle.sweeps.orphans()).toBe(1);
      claimed.pass();
      expect((await answer).status).toBe('FAILED_RETRYABLE');
      expect(callsOf(setting, id)).toEqual([]);
      expect(await seen(setting, id)).toBe('PENDING/NONE [FAILED/NONE]');
    },
  );

  test('does not send beside the attempt that was made meanwhile', async () => {
    const replica = setting.replica();
    const other = setting.replica();
    const { id } = await setting.stage(replica);
    const claimed = replica.hold('after claim');
    const late = confirm(replica, id);
    await claimed.reached;
    replica.freeze(60_000);
    await passMoment(setting.database, id, 1, 'lease');
    await other.lifecycle.sweeps.orphans();
    setting.endpoint.answerNext(done);
    expect((await confirm(other, id, again(1))).status).toBe('EXECUTED');
    claimed.pass();
    await late;
    expect(callsOf(setting, id).map(({ attempt }) => attempt)).toEqual([2]);
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [FAILED/NONE, SUCCEEDED/APPLIED]');
  });

  test('that is still in time tells the deadline of its claim, not one counted from the send', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    const claimed = replica.hold('before write');
    const held = heldAnswer(setting);
    const answer = confirm(replica, id);
    await claimed.reached;
    replica.freeze(9_000);
    await passMoment(setting.database, id, 1, 'ten seconds');
    claimed.pass();
    const { deadline } = await held.arrived;
    held.answer(done);
    const { action } = await answer;
    const [attempt] = action.attempts;
    expect(deadline).toEqual(attempt?.deadlineAt);
    expect(Number(attempt?.deadlineAt) - Number(attempt?.startedAt)).toBe(20_000);
  });
});

describe('an expiry', () => {
  test('that passes between the read and the claim of a confirm stops it', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    const found = replica.hold('after find');
    const answer = confirm(replica, id);
    await found.reached;
    await passExpiry(setting.database, id);
    found.pass();
    await expect(answer).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    expect(callsOf(setting, id)).toEqual([]);
    expect(await seen(setting, id)).toBe('PENDING/NONE []');
  });

  test('that passes between the read and the claim stops an acknowledged confirm in doubt too', async () => {
    const { id, other } = await orphaned(setting);
    const found = other.hold('after find');
    const answer = confirm(other, id, again(1));
    await found.reached;
    await passExpiry(setting.database, id);
    found.pass();
    await expect(answer).rejects.toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
    expect(callsOf(setting, id)).toHaveLength(1);
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
  });

  test('that passes while the precondition is read again stops an acknowledged confirm, and one that is not', async () => {
    const replica = setting.replica();
    setting.endpoint.answer(answers.result('{"voids":0,"others":false}'));
    const { id } = await setting.stage(replica, undefined, { tool: 'void_ticket_checked' });
    const held = heldAnswer(setting);
    const answer = confirm(replica, id);
    expect((await held.arrived).mode).toBe('read');
    await passExpiry(setting.database, id);
    held.answer(answers.result('{"voids":0,"others":false}'));
    await expect(answer).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    expect(await seen(setting, id)).toBe('PENDING/NONE []');

    const doubtful = await setting.stage(replica, undefined, { tool: 'void_ticket_checked' });
    setting.endpoint.answerNext(answers.result('{"voids":0,"others":false}'), answers.reset());
    expect((await confirm(replica, doubtful.id)).status).toBe('INDETERMINATE');
    const heldAgain = heldAnswer(setting);
    const acknowledged = confirm(replica, doubtful.id, again(1));
    expect((await heldAgain.arrived).mode).toBe('read');
    await passExpiry(setting.database, doubtful.id);
    heldAgain.answer(answers.result('{"voids":0,"others":false}'));
    await expect(acknowledged).rejects.toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
    expect(await seen(setting, doubtful.id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
    expect(callsOf(setting, doubtful.id)).toHaveLength(1);
  });
});

test('an endpoint that hangs is given up at its timeout, and what it says later is not waited for', async () => {
  const replica = setting.replica();
  const { id } = await setting.stage(replica, undefined, { tool: 'void_ticket_quickly' });
  setting.endpoint.answerNext(answers.silence(true));
  expect((await confirm(replica, id)).status).toBe('INDETERMINATE');
  expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
  expect(callsOf(setting, id)).toHaveLength(1);
});
