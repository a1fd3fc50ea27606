/** Short histories about what is committed together, that once broke a promise on paper (test/model/README.md), each played on the real thing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { passMoment } from './backdate.ts';
import { callsOf, confirm, done, heldAnswer, seen } from './play.ts';
import { agent, neverAborted, openSetting, type Setting, stageInput } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
});
afterAll(() => setting.close());

describe('nobody but the record', () => {
  test('holds an intent: what fails between its rows leaves none of them', async () => {
    const { query } = setting.database;
    const replica = setting.replica();
    await query(`create function no_event() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    await query('create trigger no_event before insert on event execute function no_event()');
    const staging = replica.lifecycle.stage(agent, stageInput('T-16', { requestId: 'r-16' }), neverAborted);
    await expect(staging).rejects.toThrow();
    await query('drop trigger no_event on event');
    const counted = 'select count(*)::int as rows from';
    expect(await query(`${counted} action where arguments like '%T-16%'`)).toEqual([{ rows: 0 }]);
    expect(await query(`${counted} stage_request where request_id = 'r-16'`)).toEqual([{ rows: 0 }]);
    const staged = await replica.lifecycle.stage(agent, stageInput('T-16', { requestId: 'r-16' }), neverAborted);
    expect(staged.idempotentReplay).toBe(false);
  });

  test('moves an action: a claim or a settlement without its event does not happen', async () => {
    const { query } = setting.database;
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    await query('create trigger no_event before insert on event execute function no_event()');
    await expect(confirm(replica, id)).rejects.toThrow();
    expect(await seen(setting, id)).toBe('PENDING/NONE []');
    expect(callsOf(setting, id)).toEqual([]);
    await query('drop trigger no_event on event');
    const held = heldAnswer(setting);
    const answer = confirm(replica, id);
    await held.arrived;
    await query('create trigger no_event before insert on event execute function no_event()');
    held.answer(done);
    await expect(answer).rejects.toMatchObject({ detail: { effect: 'UNKNOWN' } });
    await query('drop trigger no_event on event');
    expect(await seen(setting, id)).toBe('EXECUTING/UNKNOWN [OPEN/UNKNOWN]');
    await passMoment(setting.database, id, 1, 'lease');
    await replica.lifecycle.sweeps.orphans();
    expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
  });

  test('is told by a settlement that cannot reach the database: UNKNOWN, and recorded once it can', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    const away = replica.hold('before apply');
    const retry = replica.hold('delay');
    setting.endpoint.answerNext(done);
    const answer = confirm(replica, id);
    await away.reached;
    away.fail(new StoreUnavailable(false));
    await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE', detail: { effect: 'UNKNOWN' } });
    expect(await seen(setting, id)).toBe('EXECUTING/UNKNOWN [OPEN/UNKNOWN]');
    await retry.reached;
    retry.pass();
    await replica.lifecycle.drain(5_000);
    expect(await seen(setting, id)).toBe('SUCCEEDED/APPLIED [SUCCEEDED/APPLIED]');
    expect(callsOf(setting, id)).toHaveLength(1);
  });

  test('counts: a settlement whose commit was not heard of is recorded once, with one event', async () => {
    const replica = setting.replica();
    const { id } = await setting.stage(replica);
    const unheard = replica.hold('after apply');
    setting.endpoint.answerNext(done);
    const answer = confirm(replica, id);
    await unheard.reached;
    unheard.fail(new StoreUnavailable(true));
    await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await replica.lifecycle.drain(5_000);
    const events = 'select type from event where action_id = $1 order by version';
    const types = (await setting.database.query<{ type: string }>(events, [id])).map(({ type }) => type);
    expect(types).toEqual(['STAGED', 'CLAIMED', 'SETTLED']);
  });
});
