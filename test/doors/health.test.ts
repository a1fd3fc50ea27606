import { once } from 'node:events';
import { Client, credentials } from '@grpc/grpc-js';
import { service } from 'grpc-health-check';
import { expect, test } from 'vitest';
import { gate } from './gate.ts';
import { openDoors } from './open-doors.ts';

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
