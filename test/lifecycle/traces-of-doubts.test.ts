/** Short histories about doubts that once broke a promise on paper (test/model/README.md), each played on the real thing. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ActionId, needsAttention } from '../../server/domain/action.ts';
import type { ResolveInput } from '../../server/lifecycle/lifecycle.ts';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';
import { passExpiry, passMoment } from './backdate.ts';
import { again, broken, callsOf, confirm, done, heldAnswer, orphaned, seen } from './play.ts';
import type { Replica } from './replica.ts';
import { agent, approver, neverAborted, openSetting, type Setting, stageInput } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
});
afterAll(() => setting.close());
beforeEach(() => setting.endpoint.answerProbe('ledger'));

/** How often the vendor made the write, whatever it answered. */
function timesApplied(id: ActionId): number {
  return setting.endpoint.applied.filter((key) => key === id.replaceAll('-', '')).length;
}

const tool = 'void_ticket_probed';

/** An action whose first attempt got this answer. */
async function attempted(replica: Replica, answer: EndpointAnswer, ticket = randomUUID()): Promise<ActionId> {
  const { id } = await setting.stage(replica, ticket, { tool });
  setting.endpoint.answerNext(answer);
  await confirm(replica, id);
  return id;
}

const probe = ({ lifecycle }: Replica, id: ActionId) => lifecycle.probeNow(approver, id, neverAborted);

/** What a person says, who looked now unless said otherwise. */
async function say({ lifecycle }: Replica, id: ActionId, landed: boolean, over: Partial<ResolveInput> = {}) {
  const { at } = await setting.read(id);
  const said = { actionId: id, landed, resultJson: null, note: 'Looked.', expectedAttempts: 1, observedAt: at };
  return lifecycle.resolve(approver, { ...said, ...over });
}

describe('an amendment in doubt', () => {
  const amend = ({ lifecycle }: Replica, id: ActionId, ticket: string) => {
    const argumentsJson = JSON.stringify({ ticket_id: ticket, reason: 'Wrong table.' });
    return lifecycle.amend(approver, { actionId: id, argumentsJson, requestId: '', tool: '' }, neverAborted);
  };

  test('of what was applied but answered 500 is refused, so no new key does it once more', async () => {
    const replica = setting.replica();
    const ticket = randomUUID();
    const id = await attempted(replica, answers.broken('json', true), ticket);
    expect(await seen(setting, id)).toBe('PENDING/UNKNOWN [FAILED/UNKNOWN]');
    await expect(amend(replica, id, ticket)).rejects.toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
    const again = await replica.lifecycle.stage(agent, stageInput(ticket, { tool }), neverAborted);
    expect([again.action.id, again.idempotentReplay]).toEqual([id, true]);
    expect(await probe(replica, id)).toMatchObject({ disposition: 'EXECUTED', settled: true });
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [FAILED/APPLIED]');
    await expect(amend(replica, id, ticket)).rejects.toMatchObject({ code: 'ACTION_SETTLED' });
    expect(timesApplied(id)).toBe(1);
    const actions = 'select id from action where arguments like $1';
    expect(await setting.database.query(actions, [`%${ticket}%`])).toEqual([{ id }]);
  });

  test('is possible once the doubt is known to be nothing', async () => {
    const replica = setting.replica();
    const ticket = randomUUID();
    const id = await attempted(replica, broken, ticket);
    await passMoment(setting.database, id, 1, 'lease');
    expect(await probe(replica, id)).toMatchObject({ disposition: 'NOT_EXECUTED', settled: true });
    const { action } = await amend(replica, id, ticket);
    expect(await seen(setting, id)).toBe('SUPERSEDED/NONE [FAILED/NONE]');
    expect(await seen(setting, action.id)).toBe('PENDING/NONE []');
  });
});

describe('a "not executed"', () => {
  /** The endpoint is asked, and its answer is held back. */
  async function asked(replica: Replica, id: ActionId) {
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<EndpointAnswer>();
    setting.endpoint.answerProbe(() => {
      arrived.resolve();
      return answered.promise;
    });
    const probed = probe(replica, id);
    await arrived.promise;
    return { probed, answer: answered.resolve };
  }

  test('that was asked before a delayed request could land is not believed later', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset(true)); // it landed, and the vendor looked just before
    await passMoment(setting.database, id, 1, 'deadline');
    const { probed, answer } = await asked(replica, id);
    await passMoment(setting.database, id, 1, 'lease');
    answer(answers.probed('NOT_EXECUTED'));
    expect(await probed).toMatchObject({ disposition: 'NOT_EXECUTED', settled: false });
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
    setting.endpoint.answerProbe('ledger');
    expect(await probe(replica, id)).toMatchObject({ disposition: 'EXECUTED', settled: true });
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [NO_ANSWER/APPLIED]');
    expect(timesApplied(id)).toBe(1);
  });

  test('asked about an old attempt does not clear the doubt of one that was made meanwhile', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset());
    await passMoment(setting.database, id, 1, 'lease');
    const { probed, answer } = await asked(replica, id);
    setting.endpoint.answerNext(answers.reset(true));
    await confirm(replica, id, again(1));
    answer(answers.probed('NOT_EXECUTED'));
    expect(await probed).toMatchObject({ settled: false });
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN, NO_ANSWER/UNKNOWN]');
  });

  test('waits for the deadlines of all attempts in doubt, not of the oldest', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset());
    setting.endpoint.answerNext(answers.reset());
    await confirm(replica, id, again(1));
    await passMoment(setting.database, id, 1, 'lease');
    setting.endpoint.answerProbe(answers.probed('NOT_EXECUTED'));
    expect(await probe(replica, id)).toMatchObject({ settled: false });
    await passMoment(setting.database, id, 2, 'lease');
    expect(await probe(replica, id)).toMatchObject({ settled: true });
    expect(await seen(setting, id)).toBe('PENDING/NONE [NO_ANSWER/NONE, NO_ANSWER/NONE]');
  });

  test('that comes after the expiry ends the action, although it was asked before', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset());
    await passMoment(setting.database, id, 1, 'lease');
    const { probed, answer } = await asked(replica, id);
    await passExpiry(setting.database, id);
    answer(answers.probed('NOT_EXECUTED'));
    expect(await probed).toMatchObject({ settled: true });
    expect(await seen(setting, id)).toBe('FAILED/NONE [NO_ANSWER/NONE]');
  });
});

describe('a vendor who is still working on a write', () => {
  test('says so, after its deadline too; refusing it then leaves nothing behind', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica, undefined, { tool });
    const held = heldAnswer(setting);
    const late = confirm(replica, id);
    await held.arrived;
    await passMoment(setting.database, id, 1, 'lease');
    await setting.replica().lifecycle.sweeps.orphans();
    expect(await probe(replica, id)).toMatchObject({ disposition: 'IN_PROGRESS', settled: false });
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
    held.answer(answers.http(425, '{"error":"past_deadline"}')); // it looked at the deadline in the write's transaction
    expect((await late).status).toBe('FAILED_RETRYABLE');
    expect(await seen(setting, id)).toBe('PENDING/NONE [FAILED/NONE]');
    expect(timesApplied(id)).toBe(0);
  });

  test('who said "not executed" shuts out the request that arrives after it', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset());
    await passMoment(setting.database, id, 1, 'lease');
    expect(await probe(replica, id)).toMatchObject({ disposition: 'NOT_EXECUTED', settled: true });
    const [delayed] = callsOf(setting, id);
    const response = await fetch(setting.endpoint.url, {
      method: 'POST',
      headers: { 'x-tether-idempotency-key': delayed?.idempotencyKey ?? '' },
      body: delayed?.body ?? '',
    });
    expect(response.status).toBe(425);
    expect(timesApplied(id)).toBe(0);
    setting.endpoint.answerNext(done);
    expect((await confirm(replica, id)).status).toBe('EXECUTED');
    expect(timesApplied(id)).toBe(1);
  });
});

describe('a person\'s "not landed"', () => {
  test('that is said, or was seen, before a delayed request could land is refused', async () => {
    const { id, first, answer, other } = await orphanedEarly();
    const early = await setting.read(id);
    await expect(say(other, id, false)).rejects.toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
    await passMoment(setting.database, id, 1, 'lease');
    const looked = new Date(early.at.getTime() - 60_000); // as the attempt's own times have moved
    await expect(say(other, id, false, { observedAt: looked })).rejects.toMatchObject({
      code: 'OUTCOME_INDETERMINATE',
      detail: { field: 'observed_at' },
    });
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
    answer(done); // it was on its way all the time
    await first;
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [SUCCEEDED/APPLIED]');
    expect(timesApplied(id)).toBe(1);
  });

  /** INDETERMINATE while its request may still land: its worker has lost the connection. */
  async function orphanedEarly() {
    const replica = setting.replica();
    const { id } = await setting.stage(replica, undefined, { tool });
    const held = heldAnswer(setting);
    const first = confirm(replica, id);
    await held.arrived;
    await setting.database.query(`update attempt set lease_until = now() - interval '1 second' where action_id = $1`, [
      id,
    ]);
    await setting.database.query(`update action set sweep_at = now() - interval '1 second' where id = $1`, [id]);
    const other = setting.replica();
    expect(await other.lifecycle.sweeps.orphans()).toBe(1);
    return { id, first, answer: held.answer, other };
  }

  test('about one attempt does not clear the doubt of a second, which may have landed', async () => {
    const replica = setting.replica();
    const id = await attempted(replica, answers.reset());
    await passMoment(setting.database, id, 1, 'lease');
    const { at: observedAt } = await setting.read(id);
    setting.endpoint.answerNext(answers.reset(true));
    await confirm(replica, id, again(1));
    await expect(say(replica, id, false, { observedAt })).rejects.toMatchObject({
      code: 'OUTCOME_INDETERMINATE',
      detail: { field: 'expected_attempts' },
    });
    await expect(say(replica, id, false, { observedAt, expectedAttempts: 2 })).rejects.toMatchObject({
      code: 'OUTCOME_INDETERMINATE',
      detail: { field: 'observed_at' },
    });
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN, NO_ANSWER/UNKNOWN]');
    await say(replica, id, true, { expectedAttempts: 2 });
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [NO_ANSWER/UNKNOWN, NO_ANSWER/APPLIED]');
  });
});

describe('a person\'s "landed"', () => {
  test('said once more settles no other doubt: an attempt beside the success still needs attention', async () => {
    const { id, other } = await orphaned(setting);
    setting.endpoint.answerNext(answers.reset());
    await confirm(other, id, again(1));
    const first = await say(other, id, true, { expectedAttempts: 2 });
    const repeated = await say(other, id, true, { expectedAttempts: 2 });
    expect([first.idempotentReplay, repeated.idempotentReplay]).toEqual([false, true]);
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [NO_ANSWER/UNKNOWN, NO_ANSWER/APPLIED]');
    expect(needsAttention(repeated.action)).toBe(true);
  });
});
