import { createServer } from 'node:net';
import { Code } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import { clientOf, keyOf, protocols } from './clients.ts';
import { openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

async function takenPort(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { port: address.port, close: () => server.close() };
}

test.each([
  ['TETHER_HTTP_PORT', 'httpPort'],
  ['TETHER_GRPC_PORT', 'grpcPort'],
] as const)('a port that is taken is told by its setting, %s, and no door stays open', async (setting, option) => {
  const taken = await takenPort();
  const other = await takenPort();
  other.close();
  const ports = { httpPort: other.port, grpcPort: other.port, [option]: taken.port };
  await expect(openDoors(ports)).rejects.toThrow(
    `Cannot listen on 127.0.0.1 port ${taken.port} (TETHER_HOST, ${setting}): another program is listening there. ` +
      `Choose another ${setting}, or set it to 0, which picks a free port.`,
  );
  taken.close();
  const again = await openDoors({ ...ports, [option]: 0 });
  await again.close(1000);
});

test('an address that this machine does not have is told as one', async () => {
  await expect(openDoors({ host: '192.0.2.1' })).rejects.toThrow(
    /this machine does not have that address. Check TETHER_HOST/,
  );
});

test('both doors can be opened on IPv6', async () => {
  const doors = await openDoors({ host: '::1' });
  expect(doors.httpAddress).toBe(`http://[::1]:${doors.httpPort}`);
  for (const protocol of ['grpc', 'connect+json'] as const) {
    const client = clientOf(protocol, doors);
    expect(await client.call('confirm', { actionId }, { headers: keyOf('approver') })).toMatchObject({ code: 0 });
    client.close();
  }
  await doors.close(1000);
});

test.each(protocols)(
  'closing lets a running call finish and tell its caller, and takes no new one, by %s',
  async (protocol) => {
    const doors = await openDoors();
    const done = Promise.withResolvers<undefined>();
    doors.script.instead = () => done.promise;
    const client = clientOf(protocol, doors);
    const running = client.call('confirm', { actionId }, { headers: keyOf('approver') });
    await vi.waitUntil(() => doors.script.calls.length === 1);
    const closed = doors.close(10_000);
    const late = await client.call('confirm', { actionId }, { headers: keyOf('approver') });
    expect(late.code).toBe(Code.Unavailable);
    done.resolve(undefined);
    expect(await running).toMatchObject({ code: 0 });
    await closed;
    expect(doors.script.calls).toHaveLength(1);
    client.close();
  },
);

test('closing waits for a handler whose caller has left', async () => {
  const doors = await openDoors();
  const done = Promise.withResolvers<undefined>();
  doors.script.instead = () => done.promise;
  const client = clientOf('grpc', doors);
  const hangUp = new AbortController();
  const running = client.call('confirm', { actionId }, { headers: keyOf('approver'), signal: hangUp.signal });
  await vi.waitUntil(() => doors.script.calls.length === 1);
  hangUp.abort();
  await running;
  let closed = false;
  const closing = doors.close(10_000).then(() => {
    closed = true;
  });
  client.close();
  await expect(fetch(`${doors.httpAddress}/healthz`)).rejects.toThrow();
  expect(closed).toBe(false);
  done.resolve(undefined);
  await closing;
});

test.each(protocols)('when the grace is over the doors close all the same, by %s', async (protocol) => {
  const doors = await openDoors();
  const done = Promise.withResolvers<undefined>();
  doors.script.instead = () => done.promise;
  const client = clientOf(protocol, doors);
  const running = client.call('confirm', { actionId }, { headers: keyOf('approver') });
  await vi.waitUntil(() => doors.script.calls.length === 1);
  await doors.close(50);
  expect((await running).code).not.toBe(0);
  done.resolve(undefined);
  client.close();
});

test('a caller that keeps its connection is let go when the doors close', async () => {
  const doors = await openDoors();
  const response = await fetch(`${doors.httpAddress}/healthz`);
  await response.text();
  await doors.close(60_000);
  await doors.close(60_000);
});
