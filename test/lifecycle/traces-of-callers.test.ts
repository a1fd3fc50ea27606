/** Short histories about callers that once broke a promise on paper (test/model/README.md), each played on the real thing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passExpiry } from './backdate.ts';
import { broken, callsOf, confirm, done, heldAnswer, seen, turnedAway } from './play.ts';
import { approver, confirmInput, openSetting, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
});
afterAll(() => setting.close());

describe('the same confirm, delivered again', () => {
  test('with the attempts it knew of, is answered from the record after a fast failure', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    setting.endpoint.answerNext(turnedAway);
    const input = { idempotencyKey: 'k-fast', expectedAttempts: 0 };
    const first = await confirm(replica, id, input);
    const second = await confirm(setting.replica(), id, input);
    expect([first.status, first.idempotentReplay]).toEqual(['FAILED_RETRYABLE', false]);
    expect([second.status, second.idempotentReplay]).toEqual(['FAILED_RETRYABLE', true]);
    expect(callsOf(setting, id)).toHaveLength(1);
  });

  test.each([
    ['applied it all the same', broken],
    ['turned it away', turnedAway],
  ] as const)('is answered from the record after the action has expired: the endpoint %s', async (_, answer) => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    setting.endpoint.answerNext(answer);
    const input = { expectedAttempts: 0 };
    const first = await confirm(replica, id, input);
    await passExpiry(setting.database, id);
    const overdue = await confirm(replica, id, input);
    expect(await replica.lifecycle.sweeps.expire()).toBe(1);
    const expired = await confirm(replica, id, input);
    expect([overdue.status, expired.status]).toEqual([first.status, first.status]);
    expect([overdue.idempotentReplay, expired.idempotentReplay]).toEqual([true, true]);
    expect(expired.action).toMatchObject({ state: 'EXPIRED', effect: first.action.effect });
    await expect(confirm(replica, id)).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    expect(callsOf(setting, id)).toHaveLength(1);
  });

  test('by two people who both saw no attempt makes one, when they say so', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    setting.endpoint.answerNext(turnedAway);
    await confirm(replica, id, { expectedAttempts: 0 });
    expect((await confirm(replica, id, { expectedAttempts: 0 })).idempotentReplay).toBe(true);
    expect(callsOf(setting, id)).toHaveLength(1);
  });

  test('by two people who do not say what they saw makes two after a fast failure: that is the limit', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    setting.endpoint.answerNext(turnedAway, done);
    await confirm(replica, id);
    expect((await confirm(replica, id)).status).toBe('EXECUTED');
    expect(callsOf(setting, id).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe('a caller who hangs up', () => {
  test('before the claim stops the confirm, and after it changes nothing', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    const gone = AbortSignal.abort(new Error('the caller is gone'));
    await expect(replica.lifecycle.confirm(approver, confirmInput(id), gone)).rejects.toThrow('the caller is gone');
    expect(await seen(setting, id)).toBe('PENDING/NONE []');
    const caller = new AbortController();
    const held = heldAnswer(setting);
    const answer = replica.lifecycle.confirm(approver, confirmInput(id), caller.signal);
    await held.arrived;
    caller.abort(new Error('the caller is gone'));
    held.answer(done);
    await answer;
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [SUCCEEDED/APPLIED]');
  });
});
