import { type ConfirmPlanResponse, ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { answers } from '../support/endpoint.ts';
import { type Business, idOf, openBusiness, patience, proposal, type Replica, read } from './business.ts';
import { standing, status, story } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let server: Replica;
beforeAll(async () => {
  business = await openBusiness();
  server = await business.replica();
});
afterAll(() => business.close());

interface Entry {
  readonly ticket: string;
  readonly id: ActionId;
}

/** What a model proposes in one turn. */
async function plan(...tools: string[]): Promise<Entry[]> {
  const planId = `turn-${crypto.randomUUID()}`;
  const entries: Entry[] = [];
  for (const tool of tools) {
    const ticket = await business.ticket();
    const { action } = await server.agent.stage({ ...proposal(tool, ticket), planId });
    entries.push({ ticket, id: idOf(action) });
  }
  return entries;
}

function confirmAll(entries: readonly Entry[], signal?: AbortSignal): AsyncIterable<ConfirmPlanResponse> {
  return server.approver.confirmPlan({ entries: entries.map(({ id }) => ({ actionId: id })) }, { signal });
}

function said({ verdict }: ConfirmPlanResponse): string {
  if (verdict.case === 'confirmed') return status(verdict.value);
  if (verdict.case === 'error') return verdict.value.code;
  return verdict.case ?? 'nothing';
}

async function verdicts(entries: readonly Entry[]): Promise<string[]> {
  const found: string[] = [];
  for await (const response of confirmAll(entries)) {
    expect([response.index, response.actionId]).toEqual([found.length, entries[found.length]?.id]);
    found.push(said(response));
  }
  return found;
}

async function writesOf(entries: readonly Entry[]): Promise<number[]> {
  const calls = await Promise.all(entries.map(({ ticket }) => business.vendor.calls(ticket)));
  return calls.map((each) => each.filter(({ isWrite }) => isWrite).length);
}

test('a failure in the middle: a verdict for each, the rest untouched and still confirmable', async () => {
  const entries = await plan('comment', 'void_ticket', 'comment', 'comment', 'void_ticket');
  const refused = { code: 'locked', message: 'Somebody has this ticket open.' };
  await business.vendor.next(entries[2]?.ticket ?? '', 'execute', [{ answer: answers.refusal(refused) }]);

  expect(await verdicts(entries)).toEqual(['EXECUTED', 'EXECUTED', 'REFUSED', 'notRun', 'notRun']);
  expect(await writesOf(entries)).toEqual([1, 1, 1, 0, 0]);
  const rest = entries.slice(3);
  for (const { id } of rest) {
    const action = await read(server, id);
    expect([standing(action), action.version, action.attemptsUsed]).toEqual(['PENDING/NONE', 1n, 0]);
    expect(await story(server, id)).toEqual(['STAGED']);
  }

  expect(await verdicts(rest)).toEqual(['EXECUTED', 'EXECUTED']);
  expect(await writesOf(entries)).toEqual([1, 1, 1, 1, 1]);
});

test('one that a guard stops stops the plan; what was done before counts as success when the plan is sent again', async () => {
  const entries = await plan('comment', 'comment');
  const ticket = await business.ticket();
  const { action } = await server.agent.stage(proposal('refund', ticket, { amount_usd: 80 }));
  const guarded = { ticket, id: idOf(action) };
  const [first, last] = entries;
  if (first === undefined || last === undefined) throw new Error('no entries');

  const all = [first, guarded, last];
  expect(await verdicts(all)).toEqual(['EXECUTED', 'RISK_ACKNOWLEDGEMENT_REQUIRED', 'notRun']);
  expect(await writesOf(all)).toEqual([1, 0, 0]);

  const decided = all.map(({ id }) => ({ actionId: id, acknowledgeHighRisk: id === guarded.id }));
  const again: string[] = [];
  for await (const response of server.approver.confirmPlan({ entries: decided })) again.push(said(response));
  expect(again).toEqual(['REPLAYED', 'EXECUTED', 'EXECUTED']);
  expect(await writesOf(all)).toEqual([1, 1, 1]);
});

test('a caller who hangs up in the middle: the one under way settles, the next is never claimed', async () => {
  const entries = await plan('comment', 'comment', 'comment');
  const [, running, next] = entries;
  if (running === undefined || next === undefined) throw new Error('no entries');
  await business.vendor.next(running.ticket, 'execute', [{ held: true }]);

  const hangUp = new AbortController();
  const heard: string[] = [];
  const listening = (async () => {
    for await (const response of confirmAll(entries, hangUp.signal)) heard.push(said(response));
  })();
  await business.vendor.arrived(running.ticket, 1);
  hangUp.abort();
  await expect(listening).rejects.toThrow();
  expect(heard).toEqual(['EXECUTED']);
  // The goodbye is on the server's socket by now, before what is asked next.
  expect(standing(await read(server, running.id))).toBe('EXECUTING/UNKNOWN');
  expect(standing(await read(server, running.id))).toBe('EXECUTING/UNKNOWN');

  await business.vendor.letGo(running.ticket);
  await expect.poll(async () => standing(await read(server, running.id)), patience).toBe('SUCCEEDED/APPLIED');
  // An orderly end waits for whatever is under way: after it nothing can come any more.
  expect(await server.process.stop()).toBe(0);
  server = await business.replica();
  expect(await writesOf(entries)).toEqual([1, 1, 0]);
  expect(await story(server, next.id)).toEqual(['STAGED']);
  const confirmed = await server.approver.confirm({ actionId: next.id });
  expect(confirmed.status).toBe(ConfirmStatus.EXECUTED);
});
