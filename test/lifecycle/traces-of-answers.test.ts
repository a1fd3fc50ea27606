/** Short histories about answers that once broke a promise on paper (test/model/README.md), each played on the real thing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsAttention } from '../../server/domain/action.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { answers } from '../support/endpoint.ts';
import { passExpiry, passMoment } from './backdate.ts';
import { again, broken, callsOf, confirm, done, heldAnswer, orphaned, refusal, seen, turnedAway } from './play.ts';
import { approver, openSetting, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
});
afterAll(() => setting.close());

describe('a late answer', () => {
  test('that refuses an older attempt does not settle the action while the newest is in doubt', async () => {
    const { id, first, answer, other } = await orphaned(setting);
    const second = heldAnswer(setting);
    const repeated = confirm(other, id, again(1));
    await second.arrived;
    await passMoment(setting.database, id, 2, 'lease');
    await setting.replica().lifecycle.sweeps.orphans();
    answer(refusal);
    await first;
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [REFUSED/NONE, NO_ANSWER/UNKNOWN]');
    second.answer(done);
    await repeated;
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [REFUSED/NONE, SUCCEEDED/APPLIED]');
  });

  test.each([
    ['silence', answers.reset(), 'NO_ANSWER/UNKNOWN'],
    ['a refusal', refusal, 'REFUSED/NONE'],
    ['a failure', turnedAway, 'FAILED/NONE'],
  ] as const)(
    'of success waits for the attempt under way, and %s there does not hide it',
    async (_, outcome, record) => {
      const { id, first, answer, other } = await orphaned(setting);
      const second = heldAnswer(setting);
      const repeated = confirm(other, id, again(1));
      await second.arrived;
      answer(done);
      await first;
      expect(await seen(setting, id)).toBe('EXECUTING/UNKNOWN [SUCCEEDED/APPLIED, OPEN/UNKNOWN]');
      second.answer(outcome);
      await repeated;
      expect(await seen(setting, id)).toBe(`SUCCEEDED/APPLIED [SUCCEEDED/APPLIED, ${record}]`);
      expect((await other.lifecycle.replay(approver, { by: 'action-id', actionId: id })).result).toBe(
        '{"status":"void"}',
      );
    },
  );

  test('of success is not hidden by the end of the lease of the attempt under way', async () => {
    const { id, first, answer, other } = await orphaned(setting);
    const second = heldAnswer(setting);
    void confirm(other, id, again(1));
    await second.arrived;
    answer(done);
    await first;
    await other.die();
    await passMoment(setting.database, id, 2, 'lease');
    expect(await setting.replica().lifecycle.sweeps.orphans()).toBe(1);
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [SUCCEEDED/APPLIED, NO_ANSWER/UNKNOWN]');
  });

  test.each([
    ['success', done, 'SUCCEEDED/APPLIED [SUCCEEDED/APPLIED]'],
    ['refusal', refusal, 'REFUSED/NONE [REFUSED/NONE]'],
    ['clean failure', turnedAway, 'PENDING/NONE [FAILED/NONE]'],
    ['refusal for its deadline', answers.http(425, '{"error":"past_deadline"}'), 'PENDING/NONE [FAILED/NONE]'],
    ['failure in doubt', broken, 'PENDING/UNKNOWN [FAILED/UNKNOWN]'],
    ['silence', answers.reset(), 'INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]'],
  ] as const)('of the newest attempt settles what its lease had left open: %s', async (_, late, expected) => {
    const { id, first, answer } = await orphaned(setting);
    answer(late);
    await first;
    expect(await seen(setting, id)).toBe(expected);
    expect(callsOf(setting, id)).toHaveLength(1);
  });

  test('of success settles an action whose attempts are used up in doubt', async () => {
    const { id, first, answer, other } = await orphaned(setting);
    setting.endpoint.answerNext(turnedAway);
    await confirm(other, id, again(1));
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN, FAILED/NONE]');
    setting.endpoint.answerNext(broken);
    await confirm(other, id, again(2));
    expect(await seen(setting, id)).toBe('FAILED/UNKNOWN [NO_ANSWER/UNKNOWN, FAILED/NONE, FAILED/UNKNOWN]');
    answer(done);
    await first;
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [SUCCEEDED/APPLIED, FAILED/NONE, FAILED/UNKNOWN]');
  });
});

describe('a refusal with effect APPLIED', () => {
  const alreadyDone = answers.refusal({ code: 'already_void', message: 'It is void already.', effect: 'APPLIED' });

  test('is told as the refusal it is, on time and to a repeat, and needs attention', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    setting.endpoint.answerNext(alreadyDone);
    const told = await confirm(replica, id, { expectedAttempts: 0 });
    const repeated = await confirm(replica, id, { expectedAttempts: 0 });
    for (const each of [told, repeated]) {
      expect(each).toMatchObject({
        status: 'REFUSED',
        result: null,
        error: { code: 'already_void', effect: 'APPLIED' },
      });
    }
    expect(await seen(setting, id)).toBe('REFUSED/APPLIED [REFUSED/APPLIED]');
    expect(needsAttention((await setting.read(id)).action)).toBe(true);
  });

  test('that comes late settles the action as the refusal it is', async () => {
    const { id, first, answer } = await orphaned(setting);
    answer(alreadyDone);
    expect((await first).status).toBe('REFUSED');
    expect(await seen(setting, id)).toBe('REFUSED/APPLIED [REFUSED/APPLIED]');
  });
});

describe('a doubt', () => {
  test.each([
    ['turned away', turnedAway, 'FAILED/NONE'],
    ['answered 500', broken, 'FAILED/UNKNOWN'],
  ] as const)(
    'about an unanswered attempt keeps the action INDETERMINATE when the next one is %s',
    async (_, answer, record) => {
      const { id, other } = await orphaned(setting);
      setting.endpoint.answerNext(answer);
      expect((await confirm(other, id, again(1))).status).toBe('INDETERMINATE');
      expect(await seen(setting, id)).toBe(`INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN, ${record}]`);
      await expect(confirm(other, id)).rejects.toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
      expect(callsOf(setting, id)).toHaveLength(2);
    },
  );

  test('is not cleared by the refusal of a later attempt', async () => {
    const { id, other } = await orphaned(setting);
    setting.endpoint.answerNext(refusal);
    expect((await confirm(other, id, again(1))).status).toBe('REFUSED');
    expect(await seen(setting, id)).toBe('REFUSED/UNKNOWN [NO_ANSWER/UNKNOWN, REFUSED/NONE]');
  });

  test('that goes with the last answer frees the action: to another attempt while there is time', async () => {
    const { id, first, answer, other } = await orphaned(setting);
    setting.endpoint.answerNext(turnedAway);
    await confirm(other, id, again(1));
    answer(turnedAway);
    await first;
    expect(await seen(setting, id)).toBe('PENDING/NONE [FAILED/NONE, FAILED/NONE]');
  });

  test('that goes with the last answer after the expiry ends the action', async () => {
    const { id, first, answer, other } = await orphaned(setting);
    setting.endpoint.answerNext(turnedAway);
    await confirm(other, id, again(1));
    await passExpiry(setting.database, id);
    answer(turnedAway);
    await first;
    expect(await seen(setting, id)).toBe('FAILED/NONE [FAILED/NONE, FAILED/NONE]');
  });
});

test('an answer that is recorded twice does not undo what a recheck has found in between', async () => {
  const [replica, other] = [setting.replica(), setting.replica()];
  setting.endpoint.answer(answers.result('{"voids":0,"others":false}'));
  const { id } = await setting.stage(replica, undefined, { tool: 'void_ticket_checked' });
  setting.endpoint.answerNext(answers.result('{"voids":0,"others":false}'), broken);
  const [unheard, retry] = [replica.hold('after apply'), replica.hold('delay')];
  const first = confirm(replica, id, { expectedAttempts: 0 });
  await unheard.reached;
  unheard.fail(new StoreUnavailable(true));
  await expect(first).rejects.toMatchObject({ code: 'UNAVAILABLE', detail: { effect: 'UNKNOWN' } });
  expect(await seen(setting, id)).toBe('PENDING/UNKNOWN [FAILED/UNKNOWN]');

  setting.endpoint.answerNext(answers.result('{"voids":1,"others":false}'));
  expect((await confirm(other, id, { expectedAttempts: 1 })).status).toBe('INDETERMINATE');
  expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [FAILED/UNKNOWN]');
  const { version } = (await setting.read(id)).action;

  await retry.reached;
  retry.pass();
  await replica.lifecycle.drain(10_000);
  expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [FAILED/UNKNOWN]');
  expect((await setting.read(id)).action.version).toBe(version);
  expect(callsOf(setting, id).filter(({ mode }) => mode !== 'read')).toHaveLength(1);
});
