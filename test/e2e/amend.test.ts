import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { type Business, idOf, keyOf, openBusiness, proposal, type Replica, read } from './business.ts';
import { refusal, standing, status, story } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let server: Replica;
beforeAll(async () => {
  business = await openBusiness();
  server = await business.replica();
});
afterAll(() => business.close());

interface Refund {
  readonly ticket: string;
  readonly id: ActionId;
  with(amount: number): string;
}

async function refundOf(amount: number): Promise<Refund> {
  const ticket = await business.ticket();
  const { action } = await server.agent.stage(proposal('refund', ticket, { amount_usd: amount }));
  expect(action?.acknowledgementRequired).toBe(false);
  return { ticket, id: idOf(action), with: (other) => JSON.stringify({ ticket_id: ticket, amount_usd: other }) };
}

test('an amendment that raises the value over its threshold needs the acknowledgement, and runs as what was amended', async () => {
  const refund = await refundOf(40);
  const amended = await server.approver.amend({ actionId: refund.id, argumentsJson: refund.with(60) });
  const id = idOf(amended.action);
  expect([standing(amended.action), standing(amended.superseded)]).toEqual(['PENDING/NONE', 'SUPERSEDED/NONE']);
  expect([amended.action?.supersedes, amended.superseded?.supersededBy]).toEqual([refund.id, id]);
  expect(amended.action).toMatchObject({ acknowledgementRequired: true, planId: amended.superseded?.planId });
  expect(amended.action?.acknowledgementReasons).toEqual([expect.stringMatching(/60 USD.*50 USD/)]);
  expect(JSON.parse(amended.modelJson)).toMatchObject({ preview: true, action_id: id, acknowledgement_required: true });

  const needed = await refusal(server.approver.confirm({ actionId: id }));
  expect(needed).toMatchObject({
    code: 'RISK_ACKNOWLEDGEMENT_REQUIRED',
    status: 'FailedPrecondition',
    field: 'acknowledge_high_risk',
  });
  expect(await business.vendor.calls(refund.ticket)).toEqual([]);

  const confirmed = await server.approver.confirm({ actionId: id, acknowledgeHighRisk: true });
  expect(status(confirmed)).toBe('EXECUTED');
  const calls = await business.vendor.calls(refund.ticket);
  expect(calls.map((call) => [call.requestId, JSON.parse(call.argumentsJson)])).toEqual([
    [keyOf(id), { ticket_id: refund.ticket, amount_usd: 60 }],
  ]);
});

test('the old id answers ACTION_SETTLED with where to go, whatever is asked of it, and no call goes out', async () => {
  const refund = await refundOf(40);
  const { action } = await server.approver.amend({ actionId: refund.id, argumentsJson: refund.with(30) });
  const id = idOf(action);
  const { approver } = server;
  const asked = [
    () => approver.confirm({ actionId: refund.id, acknowledgeHighRisk: true }),
    () => approver.reject({ actionId: refund.id, reason: 'no' }),
    () => approver.amend({ actionId: refund.id, argumentsJson: refund.with(20) }),
  ];
  for (const ask of asked) {
    const error = await refusal(ask());
    expect(error).toMatchObject({ code: 'ACTION_SETTLED', status: 'FailedPrecondition', retryable: false });
    const [move] = error.alternatives;
    expect([move?.action, JSON.parse(move?.argumentsJson ?? '')]).toEqual(['get', { action_id: id }]);
  }
  expect(await business.vendor.calls(refund.ticket)).toEqual([]);
  expect(await story(server, refund.id)).toEqual(['STAGED', 'SUPERSEDED']);
  expect(await story(server, id)).toEqual(['STAGED']);
  // A model that now proposes what the person made of it finds that, and no second one.
  const again = await server.agent.stage(proposal('refund', refund.ticket, { amount_usd: 30 }));
  expect([again.action?.id, again.idempotentReplay]).toEqual([id, true]);
});

test('another tool is refused, and nothing about the action changes', async () => {
  const refund = await refundOf(40);
  const argumentsJson = JSON.stringify({ ticket_id: refund.ticket });
  const error = await refusal(server.approver.amend({ actionId: refund.id, tool: 'void_ticket', argumentsJson }));
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 'InvalidArgument', field: 'tool' });
  expect(error.acceptedJson).toContain('"refund"');
  const action = await read(server, refund.id);
  expect([standing(action), action.version]).toEqual(['PENDING/NONE', 1n]);
  const rows = await business.database.query("select id from action where arguments like '%' || $1 || '%'", [
    refund.ticket,
  ]);
  expect(rows).toEqual([{ id: refund.id }]);
});

test('of two amendments at once one stands, and the other is sent there', async () => {
  const refund = await refundOf(40);
  const answers = await Promise.allSettled(
    [10, 20].map((amount) => server.approver.amend({ actionId: refund.id, argumentsJson: refund.with(amount) })),
  );
  expect(answers.map((answer) => answer.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const old = await read(server, refund.id);
  const rows = await business.database.query('select id from action where supersedes = $1', [refund.id]);
  expect(rows).toEqual([{ id: old.supersededBy }]);
});
