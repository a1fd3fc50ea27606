import type { JsonValue } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse, type Wrappers } from '../support/house.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { gate } from './gate.ts';
import { openDoors } from './open-doors.ts';
import { principalOf } from './scripted-lifecycle.ts';

async function open(wrappers?: Wrappers): Promise<House> {
  const house = await openHouse(wrappers);
  onTestFinished(() => house[Symbol.asyncDispose]());
  return house;
}

const agent = { headers: keyOf('agent') };
const approver = { headers: keyOf('approver') };
const operator = { headers: keyOf('operator') };

const idOf = (response: JsonValue | undefined) => (response as { action: { id: ActionId } }).action.id;

test.each(protocols)(
  'a read runs, a write waits with its plan, and what becomes of it is told, by %s',
  async (protocol) => {
    const house = await open();
    const doors = await openDoors({ lifecycle: house.lifecycle });
    const client = clientOf(protocol, doors);
    house.endpoint.answerNext(answers.result('{"total": 9007199254740993}'));
    const read = await client.call('call', { tool: 'get_ticket', argumentsJson: '{"ticket_id":"T-1"}' }, agent);
    expect(read.response).toEqual({
      modelJson: '{"total": 9007199254740993}',
      resultJson: '{"total": 9007199254740993}',
    });
    const proposal = { tool: 'void_ticket', argumentsJson: '{"ticket_id":"T-1"}', planId: 'p' };
    const staged = await client.call('call', proposal, agent);
    const id = idOf(staged.response);
    expect(staged.response).toMatchObject({ action: { state: 'ACTION_STATE_PENDING' }, pendingActions: [{ id }] });
    const listed = await client.call('list', { filter: { planId: 'p' } }, operator);
    expect(listed.response).toMatchObject({ actions: [{ id, state: 'ACTION_STATE_PENDING' }] });

    const amended = await client.call('amend', { actionId: id, argumentsJson: '{"ticket_id":"T-2"}' }, approver);
    const newer = idOf(amended.response);
    expect(amended.response).toMatchObject({
      action: { id: newer, supersedes: id, amendedBy: { userId: 'approver' } },
      superseded: { id, state: 'ACTION_STATE_SUPERSEDED', supersededBy: newer },
    });
    const rejected = await client.call('reject', { actionId: newer, reason: 'Not that one.' }, approver);
    expect(rejected.response).toMatchObject({
      action: { state: 'ACTION_STATE_REJECTED', rejectionReason: 'Not that one.', rejectedBy: { userId: 'approver' } },
    });
    const events = await client.call('listEvents', { actionId: newer }, approver);
    expect(events.response).toMatchObject({
      events: [{ type: 'ACTION_EVENT_TYPE_STAGED' }, { type: 'ACTION_EVENT_TYPE_REJECTED', note: 'Not that one.' }],
    });
    client.close();
    await doors.close(1000);
  },
);

test.each(protocols)('a cursor that nobody handed out is refused as one, by %s', async (protocol) => {
  const house = await open();
  const doors = await openDoors({ lifecycle: house.lifecycle });
  const client = clientOf(protocol, doors);
  const seen = [
    await client.call('list', { cursor: 'e1.1' }, agent),
    await client.call('listEvents', { cursor: '\u0001' }, operator),
    await client.call('watch', { cursor: 'e1.1; drop table action' }, agent),
  ];
  for (const { code, details } of seen) {
    expect(code).toBe(Code.InvalidArgument);
    expect(details).toMatchObject([{ code: 'INVALID_CURSOR', field: 'cursor', effect: 1, retryable: false }]);
  }
  client.close();
  await doors.close(1000);
});

test.each(protocols)(
  'a watch tells of changes until it is cut, and then listens no longer, by %s',
  async (protocol) => {
    let listening = 0;
    const house = await open({
      events: (events) => ({
        ...events,
        read: (query) => events.read(query),
        end: () => events.end(),
        listen(tenantId, heard) {
          listening += 1;
          const stop = events.listen(tenantId, heard);
          return () => {
            listening -= 1;
            stop();
          };
        },
      }),
    });
    const doors = await openDoors({ lifecycle: house.lifecycle });
    const client = clientOf(protocol, doors);
    const [begun, told, hangUp] = [gate(), gate(), new AbortController()];
    const watching = client.call(
      'watch',
      {},
      {
        ...agent,
        signal: hangUp.signal,
        onMessage: (message) => (JSON.stringify(message).includes('heartbeat') ? begun.open() : told.open()),
      },
    );
    await begun.opened;
    expect(listening).toBe(1);
    const { action } = await house.stage({ ticket_id: 'T-1' }, {}, principalOf('agent'));
    await told.opened;
    hangUp.abort();
    expect((await watching).messages?.[1]).toMatchObject({
      change: { event: { type: 'ACTION_EVENT_TYPE_STAGED' }, action: { id: action.id } },
    });
    await vi.waitUntil(() => listening === 0, { timeout: 10_000 });
    client.close();
    await doors.close(1000);
  },
);

test.each(protocols)(
  'closing breaks off a watch with its cursor, from which another server goes on, by %s',
  async (protocol) => {
    const house = await open();
    const doors = await openDoors({ lifecycle: house.lifecycle });
    const client = clientOf(protocol, doors);
    const begun = gate();
    const watching = client.call('watch', {}, { ...agent, onMessage: begun.open });
    await begun.opened;
    await doors.close(600_000);
    const seen = await watching;
    client.close();
    expect(seen).toMatchObject({ code: Code.Unavailable, details: [{ code: 'UNAVAILABLE', retryable: true }] });
    const { action } = await house.stage({ ticket_id: 'T-1' }, {}, principalOf('agent'));
    const [last] = (seen.messages ?? []).slice(-1) as { cursor: string }[];

    const others = await openDoors({ lifecycle: house.another() });
    const other = clientOf(protocol, others);
    const hangUp = new AbortController();
    const resumed = await other.call(
      'watch',
      { cursor: last?.cursor },
      {
        ...agent,
        signal: hangUp.signal,
        onMessage: (message) => JSON.stringify(message).includes('change') && hangUp.abort(),
      },
    );
    expect(JSON.stringify(resumed.messages)).toContain(action.id);
    other.close();
    await others.close(1000);
  },
);

test.each(protocols)(
  'closing in the middle of a plan: the entry under way settles, the rest stays as it is, by %s',
  async (protocol) => {
    const house = await open();
    const doors = await openDoors({ lifecycle: house.lifecycle });
    const staged = [];
    for (const ticket_id of ['T-1', 'T-2', 'T-3']) staged.push(await house.stage({ ticket_id }));
    const ids = staged.map(({ action }) => action.id);
    const answered = gate();
    house.endpoint.answerNext(answers.result('{"ok":true}'), async () => {
      await answered.opened;
      return answers.result('{"ok":true}');
    });
    const client = clientOf(protocol, doors);
    const call = client.call('confirmPlan', { entries: ids.map((actionId) => ({ actionId })) }, approver);
    await house.endpoint.arrived(2);
    const closed = doors.close(600_000);
    answered.open();
    expect(await call).toMatchObject({
      code: 0,
      messages: [
        { actionId: ids[0], confirmed: { status: 'CONFIRM_STATUS_EXECUTED' } },
        { actionId: ids[1], confirmed: { status: 'CONFIRM_STATUS_EXECUTED' } },
        { actionId: ids[2], notRun: { reason: expect.stringMatching(/before its turn/) } },
      ],
    });
    await closed;
    client.close();
    expect(house.endpoint.calls).toHaveLength(2);
    expect(await house.row(ids[2] ?? expect.fail('no third action'))).toMatchObject({ state: 'PENDING', version: 1 });
  },
);
