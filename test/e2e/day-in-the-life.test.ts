import { VerificationState } from '@tether/proto/tether/v1/action_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { type Business, idOf, keyOf, openBusiness, patience, proposal, type Replica, read } from './business.ts';
import { refusal, standing, status, story } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let server: Replica;
beforeAll(async () => {
  business = await openBusiness();
  server = await business.replica();
});
afterAll(() => business.close());

/** What the vendor saw of a ticket, as `mode tool`. */
async function seen(ticket: string): Promise<string[]> {
  return (await business.vendor.calls(ticket)).map(({ mode, tool }) => `${mode} ${tool}`);
}

async function writes(ticket: string) {
  return (await business.vendor.calls(ticket)).filter(({ isWrite }) => isWrite);
}

test('a good day: looked up, proposed, found, confirmed by somebody else, done, verified, and all of it told', async () => {
  const { tools, agent, approver, operator } = server;
  const ticket = await business.ticket();
  const planId = `turn-${ticket}`;

  const looked = await tools.call({ ...proposal('get_ticket', ticket), planId });
  expect(looked.outcome).toEqual({ case: 'resultJson', value: looked.modelJson });
  expect(JSON.parse(looked.modelJson)).toEqual({ ticket_id: ticket, status: 'open', total_usd: 12.5 });
  expect(looked.pendingActions).toEqual([]);

  const called = await tools.call({ ...proposal('void_ticket', ticket, { reason: 'guest left' }), planId });
  const staged = called.outcome.case === 'action' ? called.outcome.value : undefined;
  const id = idOf(staged);
  expect(standing(staged)).toBe('PENDING/NONE');
  expect(JSON.parse(called.modelJson)).toMatchObject({
    preview: true,
    action_id: id,
    plan_id: planId,
    command_type: 'void_ticket',
    confirmation_required: true,
  });
  expect(called.pendingActions.map((action) => action.id)).toEqual([id]);
  expect(await business.vendor.ticket(ticket)).toMatchObject({ status: 'open' });

  const { actions } = await approver.list({ filter: { planId } });
  expect(actions.map((action) => [action.id, standing(action)])).toEqual([[id, 'PENDING/NONE']]);

  expect(await refusal(agent.confirm({ actionId: id }))).toMatchObject({ code: 'PERMISSION_DENIED' });
  const confirmed = await approver.confirm({ actionId: id, previewDigest: staged?.previewDigest ?? '' });
  expect([status(confirmed), standing(confirmed.action)]).toEqual(['EXECUTED', 'SUCCEEDED/APPLIED']);
  expect(JSON.parse(confirmed.resultJson)).toEqual({ ticket_id: ticket, done: true });
  expect(confirmed.action?.verification?.state).toBe(VerificationState.VERIFIED);
  expect(confirmed.action?.needsAttention).toBe(false);
  expect(confirmed.action?.confirmedBy?.userId).not.toBe(confirmed.action?.proposedBy?.userId);
  expect(await business.vendor.ticket(ticket)).toMatchObject({ status: 'void' });

  const { events } = await approver.listEvents({ actionId: id });
  expect(await story(server, id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'VERIFIED']);
  expect(events.map(({ version }) => version)).toEqual([1n, 2n, 3n, 4n]);
  expect(events.map(({ actor }) => actor?.userId)).toEqual(['acme-agent', 'acme-approver', 'acme-approver', undefined]);
  expect(new Set(events.map(({ previewDigest }) => previewDigest))).toEqual(new Set([staged?.previewDigest]));
  // Another database of the same server may hold transactions open: then what was just written shows a little later.
  const ofTenant = async () => {
    const trail = await operator.listEvents({ pageSize: 1000 });
    return trail.events.filter(({ actionId }) => actionId === id);
  };
  await expect.poll(ofTenant, { timeout: 20_000 }).toEqual(events);
  expect(await seen(ticket)).toEqual([
    'read get_ticket',
    'read get_ticket',
    'read get_ticket',
    'execute void_ticket',
    'read get_ticket',
  ]);
});

test('voided by somebody else while it waited: PRECONDITION_FAILED, and the vendor gets no call', async () => {
  const ticket = await business.ticket();
  const id = idOf((await server.agent.stage(proposal('void_ticket', ticket))).action);
  await business.vendor.put(ticket, { status: 'void', total_usd: 12.5 });

  const confirmed = await server.approver.confirm({ actionId: id });
  expect([status(confirmed), standing(confirmed.action)]).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED/NONE']);
  expect(confirmed.error).toMatchObject({ code: 'PRECONDITION_FAILED', retryable: false });
  expect(confirmed.error?.message).toMatch(/\/status.*"open".*"void"/);
  expect(await writes(ticket)).toEqual([]);
  expect(await story(server, id)).toEqual(['STAGED', 'PRECONDITION_CHANGED']);

  expect(await refusal(server.approver.confirm({ actionId: id }))).toMatchObject({ code: 'ACTION_SETTLED' });
  expect(await writes(ticket)).toEqual([]);
});

test('refused by the vendor: REFUSED with its reason, for good', async () => {
  const ticket = await business.ticket();
  const id = idOf((await server.agent.stage(proposal('void_ticket', ticket))).action);
  const reason = { code: 'shift_closed', message: 'The shift of this ticket is closed.', field: 'ticket_id' };
  await business.vendor.next(ticket, 'execute', [{ answer: answers.refusal(reason) }]);

  const confirmed = await server.approver.confirm({ actionId: id });
  expect([status(confirmed), standing(confirmed.action)]).toEqual(['REFUSED', 'REFUSED/NONE']);
  expect(confirmed.error).toMatchObject({ ...reason, retryable: false });
  expect(JSON.parse(confirmed.modelJson)).toMatchObject({ state: 'REFUSED', error: 'shift_closed', effect: 'NONE' });

  expect(await refusal(server.approver.confirm({ actionId: id }))).toMatchObject({ code: 'ACTION_SETTLED' });
  expect((await read(server, id)).error).toMatchObject(reason);
  expect(await writes(ticket)).toHaveLength(1);
});

test('503 three times: FAILED after exactly three calls, all with the same key', async () => {
  const ticket = await business.ticket();
  const id = idOf((await server.agent.stage(proposal('comment', ticket, { text: 'x' }))).action);
  await business.vendor.always(ticket, 'execute', { answer: answers.http(503) });

  const told: string[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) told.push(status(await server.approver.confirm({ actionId: id })));
  expect(told).toEqual(['FAILED_RETRYABLE', 'FAILED_RETRYABLE', 'FAILED']);
  expect(await refusal(server.approver.confirm({ actionId: id }))).toMatchObject({ code: 'ACTION_SETTLED' });

  const calls = await writes(ticket);
  expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(new Set(calls.flatMap((call) => [call.requestId, call.idempotencyKey]))).toEqual(new Set([keyOf(id)]));
  const action = await read(server, id);
  // A 503 comes from a handler that may have got anywhere: it stays in doubt, and a person is told so.
  expect([standing(action), action.attemptsUsed, action.needsAttention]).toEqual(['FAILED/UNKNOWN', 3, true]);
});

test('a hang: INDETERMINATE at the timeout; the late commit is found by a probe; and there is no second call, ever', async () => {
  const ticket = await business.ticket();
  const id = idOf((await server.agent.stage(proposal('close_ticket', ticket))).action);
  await business.vendor.next(ticket, 'execute', [{ held: true }]);

  const confirmed = await server.approver.confirm({ actionId: id });
  expect([status(confirmed), standing(confirmed.action)]).toEqual(['INDETERMINATE', 'INDETERMINATE/UNKNOWN']);
  const error = await refusal(server.approver.confirm({ actionId: id }));
  expect(error).toMatchObject({ code: 'OUTCOME_INDETERMINATE', effect: Effect.NONE });
  expect((await business.vendor.ticket(ticket))?.status).toBe('open');

  await business.vendor.letGo(ticket);
  await expect.poll(() => business.vendor.ticket(ticket), patience).toMatchObject({ status: 'closed' });
  await expect.poll(async () => standing(await read(server, id)), patience).toBe('SUCCEEDED/APPLIED');

  const replayed = await server.approver.confirm({ actionId: id });
  expect(status(replayed)).toBe('REPLAYED');
  expect(JSON.parse(replayed.resultJson)).toEqual({ ticket_id: ticket, done: true });
  expect(await story(server, id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'PROBED']);
  expect((await business.vendor.probes(keyOf(id))).length).toBeGreaterThan(0);
  expect(await writes(ticket)).toHaveLength(1);
  expect(await business.vendor.applied(keyOf(id))).toBe(1);
});

test('done, and the check says "still open": UNVERIFIED, found among what needs attention, and nothing runs again', async () => {
  const ticket = await business.ticket();
  const id = idOf((await server.agent.stage(proposal('void_ticket', ticket))).action);
  await business.vendor.next(ticket, 'execute', [{ answer: { ...answers.result('{"queued":true}'), applied: false } }]);

  const confirmed = await server.approver.confirm({ actionId: id });
  expect([status(confirmed), standing(confirmed.action)]).toEqual(['EXECUTED', 'SUCCEEDED/APPLIED']);
  expect(confirmed.action?.verification?.state).toBe(VerificationState.UNVERIFIED);
  expect(confirmed.action?.verification?.reason).toContain('result.status == "void"');

  const { actions } = await server.approver.list({ filter: { needsAttention: true, tool: 'void_ticket' } });
  expect(actions.map((action) => action.id)).toEqual([id]);
  expect(status(await server.approver.confirm({ actionId: id }))).toBe('REPLAYED');
  expect(await writes(ticket)).toHaveLength(1);
  expect(await story(server, id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'VERIFIED']);
});
