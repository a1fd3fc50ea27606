import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answers, type EndpointAnswer, type EndpointCall } from '../support/endpoint.ts';
import { type House, neverAborted, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

let house: House;
/** The ticket as the vendor has it; void_ticket changes it. */
let ticket: Record<string, unknown>;
let reads: EndpointAnswer | undefined;

beforeAll(async () => {
  house = await openHouse({}, wholeLifeTools);
});
afterAll(() => house[Symbol.asyncDispose]());
beforeEach(() => {
  ticket = { status: 'open', total_usd: 84.5, opened_at: '2026-08-20T17:59:00Z' };
  reads = undefined;
  house.endpoint.answer((call: EndpointCall) => {
    if (call.mode === 'read') return reads ?? answers.result(JSON.stringify(ticket));
    ticket = { ...ticket, status: 'void' };
    return answers.result('{"voided":true}');
  });
});

let tickets = 0;
function next() {
  tickets += 1;
  return { ticket_id: `P-${tickets}` };
}
const executions = (id: string) => house.endpoint.calls.filter((call) => call.actionId === id);

test('what the read answered when it was staged is kept, its declared fields only', async () => {
  const { action } = await house.stage(next());
  expect(action.precondition).toBe('{"/status":"open","/total_usd":84.5}');
  expect(house.endpoint.calls.at(-1)).toMatchObject({
    tool: 'get_ticket',
    mode: 'read',
    argumentsJson: action.arguments,
  });
});

test.for([
  ['its expectation is false', '{"status":"closed","total_usd":1}', /result\.status == "open"/],
  [
    'its read answers with an error of its own',
    '{"error":"no_such_ticket","message":"There is no such ticket."}',
    /There is no such ticket/,
  ],
  ['its expectation cannot be judged', '{"total_usd":1}', /get_ticket/],
] as const)('a write is not staged when %s, and the model is told why', async ([, answer, why]) => {
  reads = answers.result(answer);
  const args = next();
  const error = await refusal(house.stage(args));
  expect(error).toMatchObject({ code: 'PRECONDITION_NOT_MET', effect: 'NONE', retryable: false });
  expect(error.message).toMatch(why);
  expect(await house.db.query('select 1 from action where arguments like $1', [`%${args.ticket_id}%`])).toEqual([]);
});

test('when the read has no answer nothing is staged, and it can be tried again', async () => {
  reads = answers.http(500);
  expect(await refusal(house.stage(next()))).toMatchObject({
    code: 'PRECONDITION_UNKNOWN',
    retryable: true,
    effect: 'NONE',
  });
});

test('the same proposal again asks nobody about the world', async () => {
  const args = next();
  await house.stage(args, { requestId: 'pre-1' });
  const calls = house.endpoint.calls.length;
  reads = answers.result('{"status":"closed"}');
  expect((await house.stage(args)).idempotentReplay).toBe(true);
  expect((await house.stage(args, { requestId: 'pre-1' })).idempotentReplay).toBe(true);
  expect(house.endpoint.calls).toHaveLength(calls);
});

test('voided while it waited: PRECONDITION_FAILED, with what changed, and no call', async () => {
  const { action } = await house.stage(next());
  ticket = { ...ticket, status: 'void', total_usd: 0 };
  const confirmed = await house.confirm(action.id);
  expect(confirmed).toMatchObject({
    status: 'PRECONDITION_FAILED',
    error: { code: 'PRECONDITION_FAILED', effect: 'NONE', retryable: false },
  });
  expect(confirmed.error?.message).toMatch(/\/status was "open" and is "void"; \/total_usd was 84.5 and is 0/);
  expect(JSON.parse(confirmed.modelJson)).toMatchObject({
    state: 'PRECONDITION_FAILED',
    error: 'precondition_failed',
    effect: 'NONE',
  });
  expect(executions(action.id)).toHaveLength(0);
  expect(await house.events(action.id)).toEqual(['STAGED', 'PRECONDITION_CHANGED']);
  expect(await refusal(house.confirm(action.id))).toMatchObject({
    code: 'ACTION_SETTLED',
    receivedJson: '"PRECONDITION_FAILED"',
  });
});

test('what is not declared may change', async () => {
  const { action } = await house.stage(next());
  ticket = { ...ticket, opened_at: '2027-01-01T00:00:00Z' };
  expect((await house.confirm(action.id)).status).toBe('EXECUTED');
});

test('no answer to the recheck refuses this confirm and leaves the action as it was', async () => {
  const { action } = await house.stage(next());
  reads = answers.http(404);
  expect(await refusal(house.confirm(action.id))).toMatchObject({
    code: 'PRECONDITION_UNKNOWN',
    retryable: true,
    effect: 'NONE',
  });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
  reads = undefined;
  expect((await house.confirm(action.id)).status).toBe('EXECUTED');
});

test('in doubt, a world that changed makes it INDETERMINATE: the change may be our own', async () => {
  const { action } = await house.stage(next());
  house.endpoint.answer((call: EndpointCall) => {
    if (call.mode === 'read') return answers.result(JSON.stringify(ticket));
    ticket = { ...ticket, status: 'void' };
    return answers.http(500, 'broken');
  });
  expect(await house.confirm(action.id)).toMatchObject({ status: 'FAILED_RETRYABLE', action: { effect: 'UNKNOWN' } });
  const second = await house.confirm(action.id);
  expect(second).toMatchObject({ status: 'INDETERMINATE', error: { effect: 'UNKNOWN' } });
  expect(executions(action.id)).toHaveLength(1);
  expect(await house.row(action.id)).toMatchObject({ state: 'INDETERMINATE', effect: 'UNKNOWN' });
  const third = await refusal(house.confirm(action.id, { acknowledgeIndeterminate: true }));
  expect(third).toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
  expect(third.alternatives?.map(({ action: move }) => move)).toEqual(['resolve', 'probe_now']);
  expect(executions(action.id)).toHaveLength(1);
});

test('Recheck shows the precondition then and now, and changes nothing', async () => {
  const { action } = await house.stage(next());
  const by = house.principal('approver');
  expect(await house.lifecycle.recheck(by, action.id, neverAborted)).toMatchObject({ holds: true, differences: [] });
  ticket = { ...ticket, total_usd: 90 };
  expect(await house.lifecycle.recheck(by, action.id, neverAborted)).toMatchObject({
    holds: false,
    before: '{"/status":"open","/total_usd":84.5}',
    now: '{"/status":"open","/total_usd":90}',
    differences: [{ pointer: '/total_usd', beforeJson: '84.5', nowJson: '90' }],
  });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
  const note = await house.stage({ text: 'no precondition' }, { tool: 'note' });
  expect(await refusal(house.lifecycle.recheck(by, note.action.id, neverAborted))).toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test('a caller who hangs up during the recheck stops the confirm', async () => {
  const { action } = await house.stage(next());
  const gone = new AbortController();
  house.endpoint.answer(() => {
    gone.abort();
    return answers.result(JSON.stringify(ticket));
  });
  const input = {
    actionId: action.id,
    idempotencyKey: '',
    acknowledgeHighRisk: false,
    acknowledgeIndeterminate: false,
  };
  const call = house.lifecycle.confirm(
    house.principal('approver'),
    { ...input, previewDigest: '', expectedAttempts: undefined },
    gone.signal,
  );
  await expect(call).rejects.toThrow();
  expect(executions(action.id)).toHaveLength(0);
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
});

test('an action that was staged before its tool declared a precondition must fit it as it is declared now', async () => {
  const before = house.another({
    catalog: (catalog) => ({
      ...catalog,
      find: (name) => {
        const tool = catalog.find(name);
        return tool && { ...tool, precondition: null };
      },
    }),
  });
  const stage = (args: unknown) =>
    before.stage(
      house.principal('agent'),
      {
        ...{ tool: 'void_ticket', argumentsJson: JSON.stringify(args) },
        ...{ userId: '', scope: '', planId: '', requestId: '', ttlMs: undefined },
      },
      neverAborted,
    );
  const [fits, does] = [await stage(next()), await stage(next())];
  expect((await house.confirm(fits.action.id)).status).toBe('EXECUTED');
  const refused = await house.confirm(does.action.id);
  expect(refused).toMatchObject({
    status: 'PRECONDITION_FAILED',
    error: { message: expect.stringContaining('result.status == "open"') },
  });
  expect(executions(does.action.id)).toHaveLength(0);
});
