import { Code } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallError } from '../../server/domain/error.ts';
import { CallerGone } from '../../server/doors/caller-gone.ts';
import type { PlanVerdict, WatchUpdate } from '../../server/lifecycle/lifecycle.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { type Gate, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId, confirmed, newerId, olderId, updates, verdicts } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors();
});
afterEach(() => doors.close(1000));

const agent = { headers: keyOf('agent') };
const approver = { headers: keyOf('approver') };
const entries = [olderId, actionId, newerId].map((each) => ({ actionId: each }));
const heartbeat: WatchUpdate = { kind: 'heartbeat', cursor: 'e1.1' };
const first: PlanVerdict = { index: 0, actionId: olderId, kind: 'confirmed', confirmed };

/** A watch that tells of one thing and then waits until it is ended, heeding its signal or not. */
function waiting(heed: boolean): { readonly ended: Gate; readonly signals: AbortSignal[] } {
  const ended = gate();
  const signals: AbortSignal[] = [];
  doors.script.watch = async function* watch(_, __, signal) {
    signals.push(signal);
    try {
      yield heartbeat;
      if (heed && !signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else for (;;) yield heartbeat;
    } finally {
      ended.open();
    }
  };
  return { ended, signals };
}

test.each(protocols)('each answer goes out when it is there, not when the stream is over, by %s', async (protocol) => {
  const { ended } = waiting(true);
  const hangUp = new AbortController();
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', {}, { ...agent, signal: hangUp.signal, onMessage: () => hangUp.abort() });
  client.close();
  expect(seen).toMatchObject({ code: Code.Canceled, messages: [{ heartbeat: {}, cursor: 'e1.1' }] });
  await ended.opened;
});

test.each(protocols)('who hangs up in the middle ends the handler, which is told why, by %s', async (protocol) => {
  for (const heed of [true, false]) {
    const { ended, signals } = waiting(heed);
    const hangUp = new AbortController();
    const client = clientOf(protocol, doors);
    await client.call('watch', {}, { ...agent, signal: hangUp.signal, onMessage: () => hangUp.abort() });
    await ended.opened;
    client.close();
    expect(signals.map(({ reason }) => reason)).toEqual([new CallerGone('hung-up')]);
  }
  expect(doors.log.join('')).not.toMatch(/"level":"(warn|error|fatal)"/);
});

test.each(protocols)('a deadline in the middle ends the handler and is told as one, by %s', async (protocol) => {
  const { ended, signals } = waiting(true);
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', {}, { ...agent, timeoutMs: 1000 });
  await ended.opened;
  client.close();
  expect(seen).toMatchObject({ code: Code.DeadlineExceeded, details: [], messages: [{ heartbeat: {} }] });
  expect(signals[0]?.reason).toBeInstanceOf(CallerGone);
});

test('a caller without a clock of its own is answered in the stream when its deadline passes', async () => {
  const { ended } = waiting(true);
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Watch`, {
    method: 'POST',
    headers: { ...keyOf('agent'), 'content-type': 'application/connect+json', 'connect-timeout-ms': '200' },
    body: Buffer.from('\0\0\0\0\x02{}'),
  });
  const body = await response.text();
  await ended.opened;
  expect(body).toContain('{"error":{"code":"deadline_exceeded","message":"The call\'s deadline passed');
});

test.each(protocols)(
  'a step that is under way is finished when its caller hangs up, and none after it, by %s',
  async (protocol) => {
    const [entered, done, ended] = [gate(), gate(), gate()];
    const steps: number[] = [];
    doors.script.confirmPlan = async function* confirmPlan() {
      try {
        steps.push(0);
        entered.open();
        await done.opened;
        steps.push(1);
        yield first;
        steps.push(2);
      } finally {
        ended.open();
      }
    };
    const client = clientOf(protocol, doors);
    const hangUp = new AbortController();
    const call = client.call('confirmPlan', { entries }, { ...approver, signal: hangUp.signal });
    await entered.opened;
    hangUp.abort();
    expect(await call).toMatchObject({ code: Code.Canceled, messages: [] });
    await vi.waitUntil(() => doors.log.some((line) => line.includes('call refused')));
    done.open();
    await ended.opened;
    expect(steps).toEqual([0, 1]);
    await vi.waitUntil(() => doors.log.some((line) => line.includes('call finished after its caller had left')));
    client.close();
  },
);

test.each(protocols)('an error before the first answer arrives whole, by %s', async (protocol) => {
  doors.script.instead = () => {
    throw new CallError('INVALID_CURSOR', { message: 'No such cursor.', field: 'cursor' });
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', { cursor: 'x' }, { headers: { ...keyOf('agent'), 'x-request-id': 'r-7' } });
  client.close();
  expect(seen).toMatchObject({ code: Code.InvalidArgument, message: 'No such cursor.', messages: [] });
  expect(seen.headers['x-request-id']).toBe('r-7');
  expect(seen.details).toMatchObject([{ code: 'INVALID_CURSOR', field: 'cursor', effect: 1 }]);
});

test.each(protocols)(
  'an error after the first answer arrives whole behind what was answered, by %s',
  async (protocol) => {
    doors.script.watch = async function* watch() {
      yield* updates;
      throw new CallError('CONFIRM_IN_FLIGHT', {
        message: 'Der Kassenzettel „T-4417“ ist weg.',
        retryAfterSeconds: 1.5,
      });
    };
    const client = clientOf(protocol, doors);
    const seen = await client.call('watch', {}, { headers: { ...keyOf('agent'), 'x-request-id': 'r-7' } });
    client.close();
    expect(seen).toMatchObject({ code: Code.Aborted, message: 'Der Kassenzettel „T-4417“ ist weg.' });
    expect(seen.headers['x-request-id']).toBe('r-7');
    expect(seen.messages).toHaveLength(3);
    expect(seen.details).toMatchObject([
      { code: 'CONFIRM_IN_FLIGHT', retryable: true, retryAfter: { nanos: 500_000_000 } },
    ]);
  },
);

test.each(protocols)('a plan that breaks off says which entry is in doubt, by %s', async (protocol) => {
  doors.script.confirmPlan = async function* confirmPlan() {
    yield first;
    throw new StoreUnavailable(true, { cause: new Error('connect ECONNREFUSED 10.0.0.7:5432') });
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('confirmPlan', { entries }, approver);
  client.close();
  expect(seen.code).toBe(Code.Unavailable);
  expect(seen.messages).toMatchObject([{ actionId: olderId }]);
  const [detail] = seen.details;
  expect(detail).toMatchObject({ code: 'UNAVAILABLE', effect: 2, retryable: true });
  expect(detail?.alternatives).toMatchObject([{ action: 'get', argumentsJson: `{"action_id":"${actionId}"}` }]);
  expect(JSON.stringify([seen.message, detail?.message])).not.toContain('ECONNREFUSED');
  expect(doors.log.join('')).toContain('ECONNREFUSED');
});

test.each(protocols)('a watch that fails has left nothing behind, and the server lives on, by %s', async (protocol) => {
  doors.script.watch = async function* watch() {
    yield heartbeat;
    throw new TypeError('secret');
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', {}, agent);
  expect(seen).toMatchObject({ code: Code.Internal, messages: [{ heartbeat: {} }] });
  expect(seen.details).toMatchObject([{ code: 'INTERNAL', effect: 1 }]);
  expect(seen.message).not.toContain('secret');
  expect(await client.call('confirmPlan', { entries }, approver)).toMatchObject({ code: 0 });
  client.close();
});

test.each(protocols)('an answer that cannot be written ends its stream and its handler, by %s', async (protocol) => {
  const ended = gate();
  doors.script.watch = async function* watch() {
    try {
      yield heartbeat;
      const action = { ...confirmed.action, createdAt: new Date(Number.NaN) };
      for (;;) yield { kind: 'snapshot', action, error: null, cursor: 'e1.1' };
    } finally {
      ended.open();
    }
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', {}, agent);
  await ended.opened;
  expect(seen).toMatchObject({ code: Code.Internal, messages: [{ heartbeat: {} }] });
  client.close();
});

test.each(protocols)('a stream of many answers arrives whole and in order, by %s', async (protocol) => {
  const many = Array.from({ length: 2000 }, (_, index): WatchUpdate => ({ ...heartbeat, cursor: `e1.${index}` }));
  doors.script.watch = async function* watch() {
    yield* many;
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('watch', {}, agent);
  client.close();
  expect(seen.code).toBe(0);
  expect(seen.messages).toEqual(many.map(({ cursor }) => ({ heartbeat: {}, cursor })));
});

test.each(protocols)('an empty stream is a good answer, by %s', async (protocol) => {
  doors.script.confirmPlan = async function* confirmPlan() {
    yield* verdicts.slice(0, 0);
  };
  const client = clientOf(protocol, doors);
  expect(await client.call('confirmPlan', { entries }, approver)).toMatchObject({ code: 0, messages: [] });
  client.close();
});

test.each(protocols)('streams that ended leave nothing running, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  for (const call of [1, 2, 3]) {
    expect([call, (await client.call('watch', {}, agent)).code]).toEqual([call, 0]);
    await client.call('confirmPlan', { entries: [] }, approver);
  }
  client.close();
  await doors.close(60_000);
  expect(doors.log.join('')).not.toContain('grace');
});
