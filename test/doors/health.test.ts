import { once } from 'node:events';
import { Code } from '@connectrpc/connect';
import { Client, credentials } from '@grpc/grpc-js';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { service } from 'grpc-health-check';
import { expect, test } from 'vitest';
import { watchHealth } from '../support/health-client.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { gate } from './gate.ts';
import { openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

/** What the standard's own client needs of its service definition. */
const { Check, Watch } = service;

function check(client: Client, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = Check ?? expect.fail('there is no Check');
    const answer = (error: Error | null, value?: unknown) => (error === null ? resolve(value) : reject(error));
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service: name }, answer);
  });
}

test.each(['', 'tether.v1.ActionService', 'tether.v1.ToolService'])(
  'whoever asks whether %j is served hears that it is, without a credential',
  async (name) => {
    const doors = await openDoors();
    const client = new Client(doors.grpcAddress, credentials.createInsecure());
    expect(await check(client, name)).toEqual({ status: 'SERVING' });
    client.close();
    await doors.close(1000);
  },
);

test('nothing is said of a service that there is not', async () => {
  const doors = await openDoors();
  const client = new Client(doors.grpcAddress, credentials.createInsecure());
  await expect(check(client, 'tether.v1.ToolEndpoint')).rejects.toMatchObject({ code: 5 });
  client.close();
  await doors.close(1000);
});

test('closing tells those who watch that nothing is served any more, and waits for none of them', async () => {
  const doors = await openDoors();
  const client = new Client(doors.grpcAddress, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = Watch ?? expect.fail('there is no Watch');
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service: '' });
  const [serving, ended] = [gate(), once(call, 'end')];
  const heard: unknown[] = [];
  call.on('data', (message) => {
    heard.push(message);
    serving.open();
  });
  await serving.opened;
  // Far beyond the test's own time: a watch that was waited for would fail it.
  await doors.close(600_000);
  await ended;
  expect(heard).toEqual([{ status: 'SERVING' }, { status: 'NOT_SERVING' }]);
  client.close();
});

const unavailable = { status: 'unavailable', checks: { database: 'unreachable', catalog: 'ok' } } as const;
const ready = { status: 'ready', checks: { database: 'ok', catalog: 'stale' } } as const;

test('who watches a service hears that it cannot be used, and that it can again', async () => {
  const doors = await openDoors();
  for (const name of ['', 'tether.v1.ToolService']) {
    const health = await watchHealth(doors.grpcAddress, name);
    doors.stand(unavailable);
    await health.until('NOT_SERVING');
    doors.stand(ready);
    await health.until('SERVING');
    expect(health.heard).toEqual(['SERVING', 'NOT_SERVING', 'SERVING']);
    health.close();
  }
  await doors.close(1000);
});

test('a server that is not ready says so by its status, and lives all the same', async () => {
  const doors = await openDoors();
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`${doors.httpAddress}${path}`, { method });
    return [response.status, await response.text()];
  };
  expect(await ask('/readyz')).toEqual([200, '{"status":"ready","checks":{"database":"ok","catalog":"ok"}}']);
  doors.stand(unavailable);
  expect(await ask('/readyz')).toEqual([503, JSON.stringify(unavailable)]);
  expect(await ask('/readyz?verbose', 'HEAD')).toEqual([503, '']);
  expect(await ask('/livez')).toEqual([200, '{"status":"ok"}']);
  expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}']);
  // What was declared before is in force: no reason to send calls elsewhere.
  doors.stand(ready);
  expect(await ask('/readyz')).toEqual([200, JSON.stringify(ready)]);
  expect((await ask('/readyz', 'POST'))[0]).toBe(405);
  await doors.close(1000);
});

test.each(protocols)(
  'a server that prepares its database refuses every call before it looks at it, by %s',
  async (protocol) => {
    const doors = await openDoors();
    doors.stand({ status: 'starting', checks: { database: 'unreachable', catalog: 'ok' } });
    const client = clientOf(protocol, doors);
    for (const headers of [{}, keyOf('agent')])
      for (const verb of ['stage', 'watch', 'listTools'] as const) {
        const { code, details } = await client.call(verb, {}, { headers });
        expect(code).toBe(Code.Unavailable);
        expect(details).toMatchObject([{ code: 'UNAVAILABLE', effect: Effect.NONE, retryable: true }]);
      }
    expect(doors.script.calls).toEqual([]);
    client.close();
    await doors.close(1000);
  },
);

test('a database that is away is asked all the same: a call may find it before anybody else does', async () => {
  const doors = await openDoors();
  doors.stand(unavailable);
  const client = clientOf('grpc', doors);
  expect(await client.call('confirm', { actionId }, { headers: keyOf('approver') })).toMatchObject({ code: 0 });
  client.close();
  await doors.close(1000);
});
