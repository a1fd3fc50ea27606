import { connect } from 'node:net';
import { Code } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallError } from '../../server/domain/error.ts';
import { CallerGone } from '../../server/doors/caller-gone.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { type Gate, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors();
});
afterEach(() => doors.close(1000));

const approver = { headers: keyOf('approver') };
const heedless = (entered: Gate, done: Gate, seen: AbortSignal[]) => (signal: AbortSignal | undefined) => {
  if (signal) seen.push(signal);
  entered.open();
  return done.opened;
};

test.each(protocols)(
  'a deadline is told to the lifecycle as one, and the handler goes on to its end, by %s',
  async (protocol) => {
    const [entered, done, signals] = [gate(), gate(), [] as AbortSignal[]];
    doors.script.instead = heedless(entered, done, signals);
    const client = clientOf(protocol, doors);
    const seen = await client.call('confirm', { actionId }, { ...approver, timeoutMs: 500 });
    client.close();
    expect(seen).toMatchObject({ code: Code.DeadlineExceeded, details: [] });
    await vi.waitUntil(() => signals[0]?.aborted, { timeout: 10_000 });
    // A client whose own clock is a little ahead hangs up before the server's has run out.
    expect(signals[0]?.reason).toBeInstanceOf(CallerGone);
    done.open();
    await vi.waitUntil(() => doors.log.some((line) => line.includes('call finished after its caller had left')));
  },
);

test.each(['200', '1'])(
  'a caller without a clock of its own is answered when its deadline of %s ms passes',
  async (ms) => {
    const done = gate();
    doors.script.instead = () => done.opened;
    const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Confirm`, {
      method: 'POST',
      headers: { ...keyOf('approver'), 'content-type': 'application/json', 'connect-timeout-ms': ms },
      body: JSON.stringify({ actionId }),
    });
    done.open();
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({
      code: 'deadline_exceeded',
      message:
        "The call's deadline passed before there was an answer. It may have taken effect all the same: read with Get.",
    });
  },
);

test('a deadline of nothing has passed: it is no deadline that was forgotten, and nothing runs', async () => {
  const response = await fetch(`${doors.httpAddress}/tether.v1.ActionService/Confirm`, {
    method: 'POST',
    headers: { ...keyOf('approver'), 'content-type': 'application/json', 'connect-timeout-ms': '0' },
    body: JSON.stringify({ actionId }),
  });
  expect(response.status).toBe(504);
  expect(doors.script.calls).toEqual([]);
});

test.each(protocols)(
  'who hangs up is told to the lifecycle as such, and the handler goes on to its end, by %s',
  async (protocol) => {
    const [entered, done, signals] = [gate(), gate(), [] as AbortSignal[]];
    doors.script.instead = heedless(entered, done, signals);
    const client = clientOf(protocol, doors);
    const hangUp = new AbortController();
    const call = client.call('confirm', { actionId }, { ...approver, signal: hangUp.signal });
    await entered.opened;
    hangUp.abort();
    expect(await call).toMatchObject({ code: Code.Canceled });
    await vi.waitUntil(() => signals[0]?.aborted);
    expect(signals[0]?.reason).toEqual(new CallerGone('hung-up'));
    done.open();
    await vi.waitUntil(() => doors.log.some((line) => line.includes('call finished after its caller had left')));
    client.close();
  },
);

test.each(protocols)('a handler that stops because its caller left is no fault, by %s', async (protocol) => {
  const entered = gate();
  doors.script.instead = async (signal) => {
    entered.open();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    signal?.throwIfAborted();
    return undefined;
  };
  const client = clientOf(protocol, doors);
  const hangUp = new AbortController();
  const call = client.call('confirm', { actionId }, { ...approver, signal: hangUp.signal });
  await entered.opened;
  hangUp.abort();
  expect(await call).toMatchObject({ code: Code.Canceled });
  await vi.waitUntil(() => doors.log.some((line) => line.includes('call stopped because its caller had left')));
  expect(doors.log.join('')).not.toMatch(/"level":"error"/);
  client.close();
});

test.each(protocols)('what a handler comes to after its caller left is in the log, by %s', async (protocol) => {
  const [entered, done] = [gate(), gate()];
  doors.script.instead = async () => {
    entered.open();
    await done.opened;
    throw doors.script.calls.length === 1
      ? new CallError('UNAVAILABLE', { message: 'not recorded', effect: 'UNKNOWN', retryable: false })
      : new Error('a fault nobody waits for');
  };
  const client = clientOf(protocol, doors);
  const hangUp = new AbortController();
  const calls = [1, 2].map(() => client.call('confirm', { actionId }, { ...approver, signal: hangUp.signal }));
  await vi.waitUntil(() => doors.script.calls.length === 2);
  hangUp.abort();
  await Promise.all(calls);
  await vi.waitUntil(() => doors.log.filter((line) => line.includes('call refused')).length === 2);
  done.open();
  await vi.waitUntil(() => doors.log.some((line) => line.includes('call failed after its caller had left')));
  expect(doors.log.join('')).toContain('a fault nobody waits for');
  client.close();
});

test.each(protocols)('a call that ended well leaves no trace of a caller that left, by %s', async (protocol) => {
  const signals: AbortSignal[] = [];
  doors.script.instead = (signal) => {
    if (signal) signals.push(signal);
    return Promise.resolve(undefined);
  };
  const client = clientOf(protocol, doors);
  expect(await client.call('confirm', { actionId }, { ...approver, timeoutMs: 10_000 })).toMatchObject({ code: 0 });
  client.close();
  await doors.close(1000);
  expect(signals).toHaveLength(1);
  expect(doors.log.map((line) => JSON.parse(line).msg)).toEqual(['call ended']);
});

test('a client that hangs up in the middle of its body reaches nothing, and the server lives on', async () => {
  const socket = connect(doors.httpPort, '127.0.0.1');
  const head = 'POST /tether.v1.ActionService/Confirm HTTP/1.1\r\nHost: a\r\nContent-Type: application/json';
  socket.write(`${head}\r\nAuthorization: Bearer key-approver\r\nContent-Length: 100\r\n\r\n{"actionId":`);
  await vi.waitUntil(() => socket.bytesWritten > 100);
  socket.destroy();
  const client = clientOf('connect+json', doors);
  expect(await client.call('confirm', { actionId }, approver)).toMatchObject({ code: 0 });
  expect(doors.script.calls).toHaveLength(1);
});
