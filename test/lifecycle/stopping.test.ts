import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../server/domain/principal.ts';
import type { StopTarget } from '../../server/domain/stop.ts';
import { createStopVerbs } from '../../server/lifecycle/stops/stop-verbs.ts';
import { answers } from '../support/endpoint.ts';
import { confirmInput, type House, neverAborted, openHouse } from '../support/house.ts';
import { stageInput } from '../support/inputs.ts';
import { refusal } from '../support/refusal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

const everything: StopTarget = { kind: 'TENANT', name: '' };
const targets: StopTarget[] = [
  { kind: 'TOOL', name: 'void_ticket' },
  { kind: 'ENDPOINT', name: 'endpoint' },
  everything,
];

/** Each test in a tenant of its own, so that what one stops does not stop another. */
let tenants = 0;
function tenant() {
  const tenantId = `tenant-${++tenants}`;
  const of = (role: Principal['role']) => house.principal(role, { tenantId });
  const operator = of('operator');
  const verbs = createStopVerbs(house.store.stops, house.catalog);
  return {
    tenantId,
    agent: of('agent'),
    approver: of('approver'),
    stop: (target: StopTarget, reason = '') => verbs.stop(operator, { ...target, reason }),
    resume: (target: StopTarget, reason = '') => verbs.resume(operator, { ...target, reason }),
    list: (by = operator) => verbs.list(by),
    stage: (id: string, over = {}) => house.stage({ ticket_id: id }, over, of('agent')),
    trail: () =>
      house.db.query(
        'select type, subject, actor_user, detail::json from admin_event where tenant_id = $1 order by seq',
        [tenantId],
      ),
  };
}

test.for(targets)(
  'while %o is stopped nothing new is staged, read or claimed, and what waits stays as it is',
  async (target) => {
    const { agent, approver, stop, resume, stage, tenantId } = tenant();
    const { action } = await stage('T-1');
    const calls = house.endpoint.calls.length;
    const standing = await stop(target, 'The register is being repaired.');
    expect(standing).toMatchObject({ ...target, tenantId, reason: 'The register is being repaired.' });

    const stopped = {
      code: 'STOPPED',
      effect: 'NONE',
      retryable: true,
      message: expect.stringContaining('The register is being repaired.'),
    };
    expect(await refusal(stage('T-2'))).toMatchObject(stopped);
    expect(await refusal(house.confirm(action.id, {}, approver))).toMatchObject(stopped);
    const amendment = { actionId: action.id, argumentsJson: '{"ticket_id":"T-3"}', requestId: '', tool: '' };
    expect(await refusal(house.lifecycle.amend(approver, amendment, neverAborted))).toMatchObject(stopped);
    if (target.kind !== 'TOOL')
      expect(
        await refusal(
          house.lifecycle.call(agent, stageInput({ ticket_id: 'T-1' }, { tool: 'get_ticket' }), neverAborted),
        ),
      ).toMatchObject(stopped);
    expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1 });
    expect(house.endpoint.calls.length).toBe(calls);

    await resume(target);
    expect((await house.confirm(action.id, {}, approver)).status).toBe('EXECUTED');
    expect((await stage('T-2')).action.state).toBe('PENDING');
  },
);

test('a stop that is committed after a confirm has looked still beats its claim', async () => {
  const { approver, stop, stage, tenantId } = tenant();
  const { action } = await stage('T-1');
  const late = house.another({
    store: (store) => ({
      ...store,
      async claim(claim) {
        await stop({ kind: 'TOOL', name: 'void_ticket' }, 'Now.');
        return store.claim(claim);
      },
    }),
  });
  const calls = house.endpoint.calls.length;
  expect(await refusal(late.confirm(approver, confirmInput(action.id), neverAborted))).toMatchObject({
    code: 'STOPPED',
    message: expect.stringContaining('Now.'),
  });
  expect(await house.row(action.id)).toMatchObject({ state: 'PENDING', version: 1, tenant_id: tenantId });
  expect(house.endpoint.calls.length).toBe(calls);
});

test('a dispatch that is under way when everything is stopped is settled, verified and replayed', async () => {
  const { approver, stop, stage } = tenant();
  const { action } = await stage('T-1');
  const gate = Promise.withResolvers<void>();
  const calls = house.endpoint.calls.length;
  house.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{"status":"void"}');
  });
  const confirming = house.confirm(action.id, {}, approver);
  await house.endpoint.arrived(calls + 1);
  await stop(everything);
  gate.resolve();
  expect((await confirming).status).toBe('EXECUTED');
  expect((await house.confirm(action.id, {}, approver)).status).toBe('REPLAYED');
});

test('a proposal that was made before is still found, and rejecting goes on', async () => {
  const { approver, stop, stage } = tenant();
  const { action } = await stage('T-1', { requestId: 'r-1' });
  await stop(everything);
  expect(await stage('T-1', { requestId: 'r-1' })).toMatchObject({ idempotentReplay: true, action: { id: action.id } });
  expect(await refusal(stage('T-2', { requestId: 'r-2' }))).toMatchObject({ code: 'STOPPED' });
  // Not that the key or the wish is another's: what would follow from that is stopped as well.
  expect(await refusal(stage('T-2', { requestId: 'r-1' }))).toMatchObject({ code: 'STOPPED' });
  await house.lifecycle.reject(approver, { actionId: action.id, reason: 'Not while it is stopped.' });
  expect(await house.row(action.id)).toMatchObject({ state: 'REJECTED' });
});

test('another tenant, another tool and another endpoint go on', async () => {
  const stoppedOne = tenant();
  const other = tenant();
  await stoppedOne.stop({ kind: 'TOOL', name: 'wipe_store' });
  await stoppedOne.stop({ kind: 'ENDPOINT', name: 'endpoint' });
  const { action } = await other.stage('T-1');
  expect((await house.confirm(action.id, {}, other.approver)).status).toBe('EXECUTED');
  await stoppedOne.resume({ kind: 'ENDPOINT', name: 'endpoint' });
  const mine = await stoppedOne.stage('T-1');
  expect((await house.confirm(mine.action.id, {}, stoppedOne.approver)).status).toBe('EXECUTED');
  const wipe = { tool: 'wipe_store', argumentsJson: '{"store":"s"}' };
  expect(await refusal(stoppedOne.stage('T-2', wipe))).toMatchObject({ code: 'STOPPED' });
});

test('stopping and resuming are shown, and in the trail once for each time that they changed anything', async () => {
  const { stop, resume, list, trail } = tenant();
  const target: StopTarget = { kind: 'TOOL', name: 'void_ticket' };
  const [first, second] = await Promise.all([stop(target, 'One.'), stop(target, 'Two.')]);
  expect(second).toEqual(first);
  expect(await list()).toEqual([first]);
  await resume(target, 'Repaired.');
  expect(await list()).toEqual([]);
  expect(await refusal(resume(target))).toMatchObject({ code: 'INVALID_REQUEST', field: 'name', acceptedJson: [] });
  expect(await trail()).toEqual([
    {
      type: 'STOPPED',
      subject: 'void_ticket',
      actor_user: 'user-operator',
      detail: { kind: 'TOOL', name: 'void_ticket', reason: first.reason },
    },
    {
      type: 'RESUMED',
      subject: 'void_ticket',
      actor_user: 'user-operator',
      detail: { kind: 'TOOL', name: 'void_ticket', reason: 'Repaired.' },
    },
  ]);
});

test.for([
  [
    { kind: 'TOOL', name: 'void_tickets' },
    { field: 'name', acceptedJson: expect.arrayContaining(['"void_ticket"']) },
  ],
  [
    { kind: 'ENDPOINT', name: 'endpoit' },
    { field: 'name', acceptedJson: ['"endpoint"'] },
  ],
  [{ kind: 'TENANT', name: 'acme' }, { field: 'name' }],
  [{ kind: 'TOOL', name: '' }, { field: 'name' }],
] as const)('%o cannot be stopped, and the refusal says what could', async ([target, refused]) => {
  const { stop, list } = tenant();
  expect(await refusal(stop(target))).toMatchObject({ code: 'INVALID_REQUEST', ...refused });
  expect(await list()).toEqual([]);
});

test.for(['agent', 'approver', 'an operator of some scopes'] as const)(
  '%s neither stops nor sees stops',
  async (who) => {
    const { list, tenantId } = tenant();
    const by =
      who === 'an operator of some scopes'
        ? house.principal('operator', { tenantId, scopes: ['store-1'] })
        : house.principal(who, { tenantId });
    expect(await refusal(list(by))).toMatchObject({ code: 'PERMISSION_DENIED' });
  },
);
