import { Code } from '@connectrpc/connect';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTurnstile } from '../../server/doors/rpc/turnstile.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { gate } from './gate.ts';
import { openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

test.each(protocols)(
  'a credential has so many watches open and no more, and others have their own, by %s',
  async (protocol) => {
    const doors = await openDoors({ limits: { streamsPerCredential: 2 } });
    onTestFinished(() => doors.close(0));
    let watching = 0;
    doors.script.watch = async function* watch(_, __, signal) {
      watching += 1;
      try {
        yield { kind: 'heartbeat', cursor: 'e7.1' };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } finally {
        watching -= 1;
      }
    };
    const client = clientOf(protocol, doors);
    onTestFinished(() => client.close());
    async function watch(role: string) {
      const [begun, leave] = [gate(), new AbortController()];
      const options = { headers: keyOf(role), signal: leave.signal, onMessage: begun.open };
      const ended = client.call('watch', {}, options);
      await Promise.race([begun.opened, ended]);
      return { leave: () => leave.abort(), ended };
    }
    const first = await watch('agent');
    await watch('agent');
    const refused = await (await watch('agent')).ended;
    expect(refused.code).toBe(Code.ResourceExhausted);
    expect(refused.details).toMatchObject([
      { code: 'RATE_LIMITED', effect: 1, retryable: true, limitJson: '2', retryAfter: { seconds: 5n } },
    ]);
    await watch('approver');
    expect(watching).toBe(3);
    // What has an end of its own is not counted.
    const headers = keyOf('approver');
    await watch('approver');
    expect(await client.call('confirmPlan', { entries: [{ actionId }] }, { headers })).toMatchObject({ code: 0 });
    first.leave();
    await vi.waitUntil(() => watching === 3);
    await watch('agent');
    expect(watching).toBe(4);
  },
);

test('a turnstile lets a few through in a turn, in order, and everybody else has theirs in between', async () => {
  const turnstile = createTurnstile(2);
  const order: (string | number)[] = [];
  const all = [1, 2, 3, 4, 5].map((each) => turnstile.pass().then(() => order.push(each)));
  const others = async () => {
    for (const name of ['a', 'b', 'c']) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(name);
    }
  };
  await Promise.all([...all, others()]);
  expect(order).toEqual([1, 2, 'a', 3, 4, 'b', 5, 'c']);
});
