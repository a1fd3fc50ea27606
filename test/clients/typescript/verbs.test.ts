/** Every verb of the client against a server, once, with what it says and what comes of it. */
import { createTetherClient, pages, type TetherClient } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { AuditService } from '@tether/proto/tether/v1/audit_service_pb.ts';
import { CredentialService } from '@tether/proto/tether/v1/credential_service_pb.ts';
import { StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answers } from '../../support/endpoint.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';

vi.setConfig({ testTimeout: 120_000 });

const tools = `
  move_ticket:
    endpoint: pos
    is_write: true
    description: Move a ticket to another table.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string }, table: { type: integer } } }
    risk: high
    reversible: yes
    precondition: { read: get_ticket, arguments: { ticket_id: /ticket_id }, fields: [/status] }
`;

let place: ClientPlace;
let agent: TetherClient;
let approver: TetherClient;
let operator: TetherClient;
beforeAll(async () => {
  place = await openClientPlace({ tools, probe: true });
  const { httpUrl: url, grpcAddress } = await place.server();
  agent = createTetherClient({ url, key: place.keys.agent });
  // By gRPC, so that both ways are gone.
  approver = createTetherClient({
    transport: grpcTransport({ url: `http://${grpcAddress}` }),
    key: () => Promise.resolve(place.keys.approver),
  });
  operator = createTetherClient({ url, key: place.keys.operator });
});
afterAll(() => place.close());

test('every RPC that a caller can make has its verb', () => {
  const verbs = (of: object): string[] => Object.keys(of).toSorted();
  const methods = ({ method }: { readonly method: object }): string[] => Object.keys(method).toSorted();
  expect(verbs(agent)).toEqual(expect.arrayContaining([...methods(ActionService), ...methods(ToolService)]));
  expect(verbs(operator.credentials)).toEqual(methods(CredentialService));
  expect(verbs(operator.stops)).toEqual(methods(StopService));
  expect(verbs(operator.webhooks)).toEqual(methods(WebhookService));
  expect(verbs(operator.audit)).toEqual(methods(AuditService));
});

test('listTools tells what a harness hands to its model', async () => {
  expect(await agent.listTools()).toMatchObject([
    {
      name: 'get_ticket',
      isWrite: false,
      description: 'One ticket by its id.',
      inputSchema: { required: ['ticket_id'] },
    },
    { name: 'move_ticket', isWrite: true, risk: 'HIGH', reversible: 'YES' },
    { name: 'void_ticket', isWrite: true, risk: 'NORMAL', reversible: 'UNSPECIFIED' },
  ]);
});

test('call runs a read and stages a write, and tells what the plan has waiting', async () => {
  const read = await agent.call({ tool: 'get_ticket', arguments: { ticket_id: 'V-1' }, planId: 'p-call' });
  expect(read).toEqual({
    ...{ kind: 'read', pendingActions: [], modelJson: '{"ticket_id":"V-1","status":"open"}' },
    ...{ result: { ticket_id: 'V-1', status: 'open' }, resultJson: '{"ticket_id":"V-1","status":"open"}' },
  });
  const write = await agent.call({ tool: 'void_ticket', arguments: { ticket_id: 'V-1' }, planId: 'p-call' });
  expect(write).toMatchObject({
    ...{ kind: 'write', idempotentReplay: false },
    action: { state: 'PENDING', effect: 'NONE', planId: 'p-call', attemptsUsed: 0, attemptsAllowed: 3, version: 1 },
    pendingActions: [{ arguments: { ticket_id: 'V-1' } }],
  });
  expect(JSON.parse(write.modelJson)).toMatchObject({ preview: true, confirmation_required: true });
});

test('stage says for whom and how long; get finds it by its request id', async () => {
  const before = Date.now();
  const { action } = await agent.stage({
    ...{ tool: 'void_ticket', argumentsJson: '{ "ticket_id": "V-2" }', userId: 'u-2', scope: 'store-2' },
    ...{ planId: 'p-2', requestId: 'r-2', ttlMs: 60_000 },
  });
  expect(action).toMatchObject({
    userId: 'u-2',
    scope: 'store-2',
    planId: 'p-2',
    argumentsJson: '{"ticket_id":"V-2"}',
  });
  expect(action.createdAt).toBeInstanceOf(Date);
  expect(action.expiresAt.getTime() - action.createdAt.getTime()).toBe(60_000);
  expect(Math.abs(action.createdAt.getTime() - before)).toBeLessThan(600_000);
  expect((await agent.get({ requestId: 'r-2' })).action).toEqual(action);
});

test('confirm sends the acknowledgements and the digest that were given, and get and replay find it by its key', async () => {
  const { action } = await agent.stage({ tool: 'move_ticket', arguments: { ticket_id: 'V-3', table: 4 } });
  expect(action).toMatchObject({ acknowledgementRequired: true, precondition: { '/status': 'open' } });
  expect(await failureOf(approver.confirm({ action }))).toMatchObject({ code: 'RISK_ACKNOWLEDGEMENT_REQUIRED' });
  const other = { ...action, previewDigest: `sha256:${'0'.repeat(64)}` };
  expect(await failureOf(approver.confirm({ action: other, acknowledgeHighRisk: true }))).toMatchObject({
    ...{ code: 'PREVIEW_DIGEST_MISMATCH', effect: 'NONE' },
  });
  const confirmed = await approver.confirm({ action, acknowledgeHighRisk: true, idempotencyKey: 'k-3' });
  expect(confirmed).toMatchObject({ status: 'EXECUTED', idempotentReplay: false, action: { confirmedBy: {} } });
  expect((await approver.get({ idempotencyKey: 'k-3' })).action).toEqual(confirmed.action);
  expect(await approver.replay({ idempotencyKey: 'k-3' })).toMatchObject({
    ...{ idempotentReplay: true, result: confirmed.result, resultJson: confirmed.resultJson },
  });
});

test('reject, amend and recheck say what a person decided, and on what', async () => {
  const { action } = await agent.stage({ tool: 'move_ticket', arguments: { ticket_id: 'V-4', table: 4 } });
  place.endpoint.answerNext(answers.result('{"status":"void"}'));
  expect(await approver.recheck({ actionId: action.id })).toMatchObject({
    ...{ holds: false, before: { '/status': 'open' }, now: { '/status': 'void' }, action: { state: 'PENDING' } },
    differences: [{ pointer: '/status', before: 'open', now: 'void' }],
  });
  const amended = await approver.amend({ actionId: action.id, arguments: { ticket_id: 'V-4', table: 5 } });
  expect(amended).toMatchObject({
    action: { state: 'PENDING', supersedes: action.id, arguments: { table: 5 }, amendedBy: {} },
    superseded: { id: action.id, state: 'SUPERSEDED', supersededBy: amended.action.id },
  });
  const rejected = await approver.reject({ actionId: amended.action.id, reason: 'Table 5 is taken.' });
  expect(rejected.action).toMatchObject({
    ...{ state: 'REJECTED', rejectionReason: 'Table 5 is taken.', rejectedBy: {} },
    error: { code: 'ACTION_REJECTED', effect: 'NONE', retryable: false },
  });
});

test('probeNow and resolve settle a doubt', async () => {
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'V-5' } });
  place.endpoint.answerProbe(answers.probed('IN_PROGRESS'));
  place.endpoint.answerNext(answers.reset(true));
  const { status, action: inDoubt } = await approver.confirm({ action });
  expect(status).toBe('INDETERMINATE');
  expect(inDoubt).toMatchObject({ state: 'INDETERMINATE', effect: 'UNKNOWN', needsAttention: true });
  expect(inDoubt.attempts).toMatchObject([{ number: 1, outcome: 'NO_ANSWER', effect: 'UNKNOWN' }]);
  const probed = await approver.probeNow({ actionId: action.id });
  expect(probed).toMatchObject({ disposition: 'IN_PROGRESS', settled: false });
  expect(probed.nextProbeAt).toBeInstanceOf(Date);
  const resolved = await approver.resolve({
    ...{ actionId: action.id, landed: true, note: 'The ticket is void.', result: { status: 'void' } },
    ...{ expectedAttempts: 1, observedAt: new Date() },
  });
  expect(resolved.action).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED', result: { status: 'void' } });
});

test('confirmPlan stops at the first that does not succeed, and says what was not run', async () => {
  const staged = await Promise.all(
    ['V-6', 'T-3', 'V-7'].map((ticket) => agent.stage({ tool: 'void_ticket', arguments: { ticket_id: ticket } })),
  );
  const entries = staged.map(({ action }) => ({ action }));
  const verdicts = await Array.fromAsync(approver.confirmPlan({ entries }));
  expect(verdicts).toMatchObject([
    { index: 0, kind: 'confirmed', confirmed: { status: 'EXECUTED' } },
    { index: 1, kind: 'confirmed', confirmed: { status: 'REFUSED', error: { code: 'ticket_closed' } } },
    { index: 2, kind: 'not-run', actionId: staged[2]?.action.id },
  ]);
});

test('list goes through all pages, newest first, and keeps to its filter', async () => {
  for (let n = 0; n < 7; n++)
    await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: `P-${n}` }, planId: 'p-pages' });
  const read = await Array.fromAsync(pages(approver.list, { planId: 'p-pages', pageSize: 3, states: ['PENDING'] }));
  expect(read.map(({ actions, hasMore }) => [actions.length, hasMore])).toEqual([
    [3, true],
    [3, true],
    [1, false],
  ]);
  const listed = read.flatMap(({ actions }) => actions.map(({ arguments: said }) => said));
  expect(listed).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => ({ ticket_id: `P-${n}` })));
  expect((await approver.list({ planId: 'p-pages', states: ['EXPIRED'] })).actions).toEqual([]);
});

test('listEvents tells the trail of an action, and of the tenant page after page', async () => {
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'V-8' } });
  await approver.confirm({ action });
  const { events, hasMore } = await approver.listEvents({ actionId: action.id });
  expect(hasMore).toBe(false);
  expect(events).toMatchObject([
    { type: 'STAGED', fromState: 'UNSPECIFIED', toState: 'PENDING', version: 1 },
    { type: 'CLAIMED', toState: 'EXECUTING', effect: 'UNKNOWN', attempt: 1 },
    { type: 'SETTLED', toState: 'SUCCEEDED', effect: 'APPLIED', actor: {} },
  ]);
  const all = await Array.fromAsync(pages(operator.listEvents, { pageSize: 4 }));
  expect(all.length).toBeGreaterThan(2);
  const told = all.flatMap((page) => page.events);
  expect(new Set(told.map(({ actionId, version }) => `${actionId} ${version}`)).size).toBe(told.length);
});

test('credentials are made, listed, rotated and revoked by an operator', async () => {
  const made = await operator.credentials.create({ role: 'AGENT', userId: 'bot', scopes: ['store-1'], name: 'till' });
  expect(made.credential).toMatchObject({ role: 'AGENT', scopes: ['store-1'], allScopes: false, name: 'till' });
  expect(made.key.startsWith(made.credential.prefix)).toBe(true);
  const listed = await Array.fromAsync(pages(operator.credentials.list, { pageSize: 2 }));
  expect(listed.flatMap(({ credentials }) => credentials.map(({ id }) => id))).toContain(made.credential.id);
  const { id: credentialId } = made.credential;
  const rotated = await operator.credentials.rotate({ credentialId, overlapMs: 60_000 });
  expect(rotated.key).not.toBe(made.key);
  expect(rotated.credential.previousKeyUntil).toBeInstanceOf(Date);
  expect((await operator.credentials.revoke({ credentialId })).revokedAt).toBeInstanceOf(Date);
});

test('a stop keeps everybody out until it is taken back, and says why', async () => {
  const stopped = await operator.stops.stop({ kind: 'TOOL', name: 'move_ticket', reason: 'Stocktaking.' });
  expect(stopped).toMatchObject({ kind: 'TOOL', name: 'move_ticket', reason: 'Stocktaking.', stoppedBy: {} });
  expect(await operator.stops.listStops()).toEqual([stopped]);
  const held = agent.stage({ tool: 'move_ticket', arguments: { ticket_id: 'V-9' } });
  expect(await failureOf(held)).toMatchObject({ code: 'STOPPED', effect: 'NONE' });
  expect(await operator.stops.resume({ kind: 'TOOL', name: 'move_ticket' })).toMatchObject({ name: 'move_ticket' });
  expect(await operator.stops.listStops()).toEqual([]);
  const { events } = await operator.audit.listAdminEvents({ subject: 'move_ticket', types: ['STOPPED', 'RESUMED'] });
  expect(events).toMatchObject([
    { type: 'STOPPED', actor: {}, detail: { reason: 'Stocktaking.' } },
    { type: 'RESUMED', subject: 'move_ticket' },
  ]);
});

test('an operator sees what became of webhook messages, and can send a dead one again', async () => {
  expect(await operator.webhooks.listDeliveries({ states: ['DEAD'] })).toEqual({ deliveries: [], hasMore: false });
  const nobody = { deliveryId: '00000000-0000-4000-8000-000000000000' };
  expect(await failureOf(operator.webhooks.redeliver(nobody))).toMatchObject({ status: 'NOT_FOUND', effect: 'NONE' });
});
