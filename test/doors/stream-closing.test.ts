import { Code } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import type { PlanVerdict } from '../../server/lifecycle/lifecycle.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { gate } from './gate.ts';
import { openDoors } from './open-doors.ts';
import { actionId, confirmed, newerId, olderId } from './scripted-lifecycle.ts';

/** Longer than any test may take: what holds up a close beyond it fails. */
const patientMs = 600_000;

test.each(protocols)('closing breaks off a watch at once and says how to go on, by %s', async (protocol) => {
  const doors = await openDoors();
  const ended = gate();
  doors.script.watch = async function* watch(_, __, signal) {
    try {
      yield { kind: 'heartbeat', cursor: 'e7.1' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    } finally {
      ended.open();
    }
  };
  const client = clientOf(protocol, doors);
  const seen = gate();
  const watching = client.call('watch', {}, { headers: keyOf('agent'), onMessage: seen.open });
  await seen.opened;
  await doors.close(patientMs);
  await ended.opened;
  const answer = await watching;
  client.close();
  expect(answer).toMatchObject({ code: Code.Unavailable, messages: [{ cursor: 'e7.1' }] });
  expect(answer.details).toMatchObject([
    {
      ...{ code: 'UNAVAILABLE', effect: 1, retryable: true },
      message: expect.stringContaining('resume with your cursor'),
      alternatives: [{ action: 'watch' }],
    },
  ]);
  expect(doors.log.join('')).not.toMatch(/"level":"(warn|error|fatal)"/);
});

test.each(protocols)(
  'closing lets a plan finish its entry under way and say what was not run, by %s',
  async (protocol) => {
    const doors = await openDoors();
    const [entered, done] = [gate(), gate()];
    const reasons: unknown[] = [];
    doors.script.confirmPlan = async function* confirmPlan(_, entries, signal) {
      entered.open();
      await done.opened;
      reasons.push(signal.aborted);
      for (const [index, entry] of entries.entries())
        yield index === 0
          ? { index, actionId: entry.actionId, kind: 'confirmed', confirmed }
          : ({ index, actionId: entry.actionId, kind: 'not-run', reason: 'stopping' } satisfies PlanVerdict);
    };
    const client = clientOf(protocol, doors);
    const entries = [olderId, actionId, newerId].map((each) => ({ actionId: each }));
    const call = client.call('confirmPlan', { entries }, { headers: keyOf('approver') });
    await entered.opened;
    const closed = doors.close(patientMs);
    done.open();
    expect(await call).toMatchObject({
      code: 0,
      messages: [
        { actionId: olderId, confirmed: { status: 'CONFIRM_STATUS_EXECUTED' } },
        { actionId, notRun: { reason: 'stopping' } },
        { actionId: newerId, notRun: { reason: 'stopping' } },
      ],
    });
    await closed;
    client.close();
    expect(reasons).toEqual([true]);
  },
);

test.each(protocols)('closing takes no new stream, by %s', async (protocol) => {
  const doors = await openDoors();
  const done = gate();
  doors.script.instead = () => done.opened;
  const client = clientOf(protocol, doors);
  const running = client.call('confirm', { actionId }, { headers: keyOf('approver') });
  await vi.waitUntil(() => doors.script.calls.length === 1);
  const closed = doors.close(patientMs);
  expect(await client.call('watch', {}, { headers: keyOf('agent') })).toMatchObject({ code: Code.Unavailable });
  done.open();
  await running;
  await closed;
  expect(doors.script.calls).toHaveLength(1);
  client.close();
});

test('closing waits for an entry of a plan whose caller has left', async () => {
  const doors = await openDoors();
  const [entered, done, ended] = [gate(), gate(), gate()];
  doors.script.confirmPlan = async function* confirmPlan() {
    try {
      entered.open();
      await done.opened;
      yield { index: 0, actionId, kind: 'confirmed', confirmed };
    } finally {
      ended.open();
    }
  };
  const client = clientOf('grpc', doors);
  const hangUp = new AbortController();
  const headers = keyOf('approver');
  const call = client.call('confirmPlan', { entries: [{ actionId }] }, { headers, signal: hangUp.signal });
  await entered.opened;
  hangUp.abort();
  await call;
  client.close();
  let closed = false;
  const closing = doors.close(patientMs).then(() => {
    closed = true;
  });
  await expect(fetch(`${doors.httpAddress}/healthz`)).rejects.toThrow();
  expect(closed).toBe(false);
  done.open();
  await ended.opened;
  await closing;
});
