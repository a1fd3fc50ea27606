import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { createCredentialVerbs } from '../../server/lifecycle/credentials/credential-verbs.ts';
import type { Authenticator } from '../../server/lifecycle/ports/authenticator.ts';
import { answers } from '../support/endpoint.ts';
import { openHouse } from '../support/house.ts';
import { gate } from './gate.ts';
import { askJson, type JsonAsk } from './json-caller.ts';
import { openDoors } from './open-doors.ts';
import { threeKeys } from './scripted-lifecycle.ts';

/** A house with its doors, and a way to ask each role's question. */
async function open() {
  const house = await openHouse();
  const credentials = createCredentialVerbs(house.store.credentials);
  const authenticator: Authenticator = {
    recognises: () => false,
    authenticate: async (key) => (await threeKeys.authenticate(key)) ?? house.store.credentials.authenticate(key),
  };
  const doors = await openDoors({ lifecycle: house.lifecycle, credentials, authenticator });
  const ask = (as: JsonAsk['as']) => (verb: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    askJson(doors, verb, path, { as, body, headers });
  return {
    house,
    doors,
    agent: ask('agent'),
    approver: ask('approver'),
    operator: ask('operator'),
    async close() {
      await doors.close(1000);
      await house[Symbol.asyncDispose]();
    },
  };
}

let at: Awaited<ReturnType<typeof open>>;
beforeEach(async () => {
  at = await open();
});
afterEach(() => at.close());

const result = '{"receipt": 9007199254740993, "voided":true, "note":"\\u0000"}';

test('a write is staged, confirmed, repeated and looked up by plain HTTP alone, and runs once', async () => {
  const { house, agent, approver } = at;
  const body = '{"tool":"void_ticket", "arguments": {"ticket_id":"T-4417", "amount_usd": 1.50}, "planId":"p"}';
  const staged = await agent('POST', '/v1/actions', body, { 'Idempotency-Key': 'stage-1' });
  expect(staged).toMatchObject({ status: 200, body: { action: { state: 'PENDING', effect: 'NONE', planId: 'p' } } });
  expect(JSON.parse(staged.body.modelText)).toMatchObject({ preview: true, confirmation_required: true });
  const { id, previewDigest } = staged.body.action;
  expect(await house.row(id)).toMatchObject({ arguments: '{"amount_usd":1.5,"ticket_id":"T-4417"}' });

  house.endpoint.answerNext(answers.result(result));
  const first = await approver(
    'POST',
    `/v1/actions/${id}/confirm`,
    { acknowledgeHighRisk: false, previewDigest, expectedAttempts: 0 },
    { 'Idempotency-Key': 'confirm-1' },
  );
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    status: 'Executed',
    actionId: id,
    commandType: 'void_ticket',
    effect: 'APPLIED',
    action: { state: 'SUCCEEDED', attemptsUsed: 1 },
  });
  expect(first.body).not.toHaveProperty('errorCode');
  expect(first.body).not.toHaveProperty('idempotentReplay');
  expect(first.text).toContain(`"result":${result}`);

  const again = await approver('POST', `/v1/actions/${id}/confirm`, { idempotencyKey: 'confirm-1' });
  expect(again.body).toMatchObject({ status: 'Replayed', actionId: id, idempotentReplay: true });
  expect(again.text).toContain(`"result":${result}`);
  expect(house.endpoint.calls).toHaveLength(1);

  const byKey = await approver('GET', '/v1/actions/lookup?idempotencyKey=confirm-1');
  const byRequest = await agent('GET', '/v1/actions/lookup?requestId=stage-1');
  const byId = await agent('GET', `/v1/actions/${id}`);
  for (const { body } of [byKey, byRequest, byId]) expect(body.action).toMatchObject({ id, state: 'SUCCEEDED' });
  const replayed = await approver('GET', `/v1/actions/${id}/result`);
  expect(replayed.text).toContain(`"result":${result}`);
  expect(replayed.body.idempotentReplay).toBe(true);
  expect((await agent('GET', '/v1/actions/lookup/result?requestId=stage-1')).text).toContain(`"result":${result}`);
  const events = await approver('GET', `/v1/actions/${id}/events?pageSize=2`);
  expect(events.body).toMatchObject({ events: [{ type: 'STAGED' }, { type: 'CLAIMED' }], hasMore: true });
  const rest = await at.operator('GET', `/v1/events?cursor=${encodeURIComponent(events.body.nextCursor)}`);
  expect(rest.body).toMatchObject({ events: [{ type: 'SETTLED' }], hasMore: false });
});

test('arguments are read as they were written: what a parser would smooth over is refused', async () => {
  const stage = (args: string) => at.agent('POST', '/v1/actions', `{"tool":"void_ticket","arguments":${args}}`);
  const twice = await stage('{"ticket_id":"T-1","ticket_id":"T-2"}');
  expect(twice).toMatchObject({ status: 400, body: { status: 'Invalid', errorCode: 'INVALID_ARGUMENTS' } });
  expect(twice.body.errorMessage).toMatch(/ticket_id/);
  const large = await stage('{"ticket_id":"T-1","amount_usd":9007199254740993}');
  expect(large).toMatchObject({ status: 400, body: { errorCode: 'INVALID_ARGUMENTS', field: 'amount_usd' } });
  expect(await at.agent('GET', '/v1/actions')).toMatchObject({ body: { actions: [] } });
});

test('a person amends, rejects and reads what stands, with the words of the JSON door', async () => {
  const { agent, approver } = at;
  const staged = await agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
  const id = staged.body.action.id;
  const amended = await approver('POST', `/v1/actions/${id}/amend`, { arguments: { ticket_id: 'T-2' } });
  expect(amended.body).toMatchObject({
    action: { state: 'PENDING', supersedes: id, arguments: { ticket_id: 'T-2' } },
    superseded: { id, state: 'SUPERSEDED' },
  });
  const newer = amended.body.action.id;
  const rejected = await approver('POST', `/v1/actions/${newer}/reject`, { reason: 'Not that one.' });
  expect(rejected.body.action).toMatchObject({ state: 'REJECTED', rejectionReason: 'Not that one.' });
  const listed = await agent('GET', '/v1/actions?states=REJECTED&states=SUPERSEDED&tool=void_ticket&pageSize=1');
  expect(listed.body).toMatchObject({ actions: [{ id: newer }] });
  const next = await agent('GET', `/v1/actions?states=REJECTED&states=SUPERSEDED&cursor=${listed.body.nextCursor}`);
  expect(next.body.actions).toMatchObject([{ id }]);
  const settled = await approver('POST', `/v1/actions/${newer}/confirm`);
  expect(settled).toMatchObject({ status: 409, body: { status: 'Conflict', errorCode: 'ACTION_SETTLED' } });
});

test('an outcome that nobody knows is told as one, asked about and settled by a person', async () => {
  const { house, agent, approver } = at;
  const staged = await agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
  const id: ActionId = staged.body.action.id;
  house.endpoint.answerNext(answers.http(504, '{}'));
  const confirmed = await approver('POST', `/v1/actions/${id}/confirm`);
  expect(confirmed).toMatchObject({
    status: 200,
    body: { status: 'Indeterminate', errorCode: 'OUTCOME_INDETERMINATE', effect: 'UNKNOWN', retryable: false },
  });
  const again = await approver('POST', `/v1/actions/${id}/confirm`);
  expect(again).toMatchObject({
    status: 409,
    body: { status: 'Conflict', errorCode: 'OUTCOME_INDETERMINATE', actionId: id, effect: 'NONE' },
  });
  expect(again.text).toContain('"acknowledgeIndeterminate":true');
  expect(again.text).not.toContain('acknowledge_indeterminate');
  const probed = await approver('POST', `/v1/actions/${id}/probe`);
  expect(probed).toMatchObject({ status: 200, body: { disposition: 'NOT_EXECUTED', settled: false, action: { id } } });
  const resolved = await approver('POST', `/v1/actions/${id}/resolve`, {
    landed: true,
    result: { seen: 'by hand' },
    note: 'It is void.',
    expectedAttempts: 1,
    observedAt: new Date().toISOString(),
  });
  expect(resolved).toMatchObject({ status: 200, body: { action: { state: 'SUCCEEDED', effect: 'APPLIED' } } });
  expect(resolved.body.action.result).toEqual({ seen: 'by hand' });
});

test('a failure that left nothing behind says so, and that it may be confirmed again', async () => {
  const { house, agent, approver } = at;
  const staged = await agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
  const id = staged.body.action.id;
  house.endpoint.answerNext(answers.http(429, '{}'));
  const failed = await approver('POST', `/v1/actions/${id}/confirm`);
  expect(failed).toMatchObject({
    status: 200,
    body: {
      ...{ status: 'FailedRetryable', actionId: id, commandType: 'void_ticket' },
      ...{ errorCode: 'EXECUTION_FAILED_RETRYABLE', errorMessage: expect.stringContaining('(1/3 attempts used)') },
      ...{ effect: 'NONE', retryable: true, action: { state: 'PENDING', attemptsUsed: 1 } },
    },
  });
});

test('a confirm beside one that is under way is a Conflict that says how long to wait', async () => {
  const { house, agent, approver } = at;
  const staged = await agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
  const way = `/v1/actions/${staged.body.action.id}/confirm`;
  const go = gate();
  house.endpoint.answerNext(async () => {
    await go.opened;
    return answers.result('{"ok":true}');
  });
  const first = approver('POST', way);
  await house.endpoint.arrived(1);
  const second = await approver('POST', way);
  go.open();
  expect(second).toMatchObject({ status: 409, body: { status: 'Conflict', errorCode: 'CONFIRM_IN_FLIGHT' } });
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await first).body.status).toBe('Executed');
  expect(house.endpoint.calls).toHaveLength(1);
});

test('a risk has to be acknowledged, and the error says by which word', async () => {
  const { agent, approver } = at;
  const staged = await agent('POST', '/v1/actions', { tool: 'wipe_store', arguments: { store: 's' } });
  const way = `/v1/actions/${staged.body.action.id}/confirm`;
  const refused = await approver('POST', way);
  expect(refused).toMatchObject({
    status: 412,
    body: { status: 'GuardNotMet', errorCode: 'RISK_ACKNOWLEDGEMENT_REQUIRED', field: 'acknowledgeHighRisk' },
  });
  at.house.endpoint.answerNext(answers.result('{"ok":true}'));
  const move = refused.body.alternatives[0];
  const { actionId, ...decision } = move.arguments;
  expect(await approver('POST', `/v1/actions/${actionId}/${move.action}`, decision)).toMatchObject({
    body: { status: 'Executed' },
  });
});

test('an operator makes a key, which is good until it is revoked', async () => {
  const { operator, doors, house } = at;
  await house.store.credentials.createTenant('acme');
  const made = await operator('POST', '/v1/credentials', {
    role: 'AGENT',
    userId: 'ann',
    allScopes: true,
    name: 'till',
  });
  expect(made).toMatchObject({
    status: 200,
    body: { key: expect.any(String), credential: { role: 'AGENT', name: 'till' } },
  });
  const tools = () => askJson(doors, 'GET', '/v1/tools', { headers: { authorization: `Bearer ${made.body.key}` } });
  expect((await tools()).status).toBe(200);
  const { id } = made.body.credential;
  expect((await operator('GET', '/v1/credentials')).text).toContain(id);
  expect((await operator('POST', `/v1/credentials/${id}/revoke`)).body.credential.revokedAt).toMatch(/Z$/);
  expect((await tools()).status).toBe(401);
});

test('a plan is confirmed in order, and every entry has its verdict', async () => {
  const { house, agent, approver } = at;
  const ids: string[] = [];
  for (const ticket_id of ['T-1', 'T-2', 'T-3']) {
    const { body } = await agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id }, planId: 'p' });
    ids.push(body.action.id);
  }
  house.endpoint.answerNext(answers.result('{"ok": 1.0}'), answers.result('{"error":"already_void"}'));
  const entries = ids.map((actionId) => ({ actionId }));
  const { status, body, text } = await approver('POST', '/v1/plans/confirm', { entries });
  expect(status).toBe(200);
  expect(body.verdicts).toMatchObject([
    { index: 0, status: 'Executed', actionId: ids[0] },
    { index: 1, status: 'Refused', actionId: ids[1], errorCode: 'already_void' },
    { index: 2, status: 'NotRun', actionId: ids[2], errorMessage: expect.any(String) },
  ]);
  expect(text).toContain('"result":{"ok": 1.0}');
});

test('a model’s call: a read runs, a write waits', async () => {
  at.house.endpoint.answerNext(answers.result('{"total": 9007199254740993}'));
  const read = await at.agent('POST', '/v1/tools/get_ticket/call', { arguments: { ticket_id: 'T-1' } });
  expect(read.text).toContain('"result":{"total": 9007199254740993}');
  const write = await at.agent('POST', '/v1/tools/void_ticket/call', { arguments: { ticket_id: 'T-1' }, planId: 'p' });
  expect(write.body).toMatchObject({ action: { state: 'PENDING' }, pendingActions: [{ planId: 'p' }] });
  const tools = await at.agent('GET', '/v1/tools');
  expect(tools.body.tools.map(({ name }: { name: string }) => name)).toContain('void_ticket');
});

test('another tenant’s action and one that never was are answered alike', async () => {
  const theirs = await at.house.stage({ ticket_id: 'T-1' }, {}, at.house.principal('agent', { tenantId: 'other' }));
  const told = async (id: string) => {
    const { status, text, body } = await at.approver('POST', `/v1/actions/${id}/confirm`);
    return [status, text.replaceAll(id, '<id>').replace(body.requestId, '<request>')];
  };
  const there = await told(theirs.action.id);
  expect(there).toEqual([404, expect.stringMatching(/"status":"NotFound","errorCode":"ACTION_NOT_FOUND".*"NONE"/)]);
  expect(there).toEqual(await told('00000000-0000-4000-8000-000000000000'));
});

test('a watch tells line by line of what changes, and ends with a line that says why', async () => {
  const response = await fetch(`${at.doors.httpAddress}/v1/actions/watch`, {
    headers: { authorization: 'Bearer key-agent' },
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const lines: string[] = [];
  const [begun, told] = [gate(), gate()];
  const reading = (async () => {
    let rest = '';
    for await (const chunk of response.body ?? []) {
      rest += Buffer.from(chunk).toString('utf8');
      const parts = rest.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (parts.some((line) => line.includes('"heartbeat"'))) begun.open();
      if (parts.some((line) => line.includes('"SETTLED"'))) told.open();
    }
  })();
  await begun.opened;
  const staged = await at.agent('POST', '/v1/actions', { tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
  at.house.endpoint.answerNext(answers.result('{\n  "voided": true,\r\n  "at": "\\n"\n}'));
  await at.approver('POST', `/v1/actions/${staged.body.action.id}/confirm`);
  await told.opened;
  await at.doors.close(600_000);
  await reading;
  const said = lines.map((line) => JSON.parse(line));
  expect(said.find(({ change }) => change)).toMatchObject({
    change: { event: { type: 'STAGED' }, action: { id: staged.body.action.id } },
    cursor: expect.any(String),
  });
  const settled = said.find(({ change }) => change?.event.type === 'SETTLED');
  expect(settled.change.action.result).toEqual({ voided: true, at: '\n' });
  expect(said.at(-1)).toMatchObject({ status: 'Unavailable', errorCode: 'UNAVAILABLE', retryable: true });
});
