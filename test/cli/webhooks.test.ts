import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(`insert into tenant (id) values ('acme'), ('globex')`);
});
afterAll(() => database.drop());

const webhooks = (...args: string[]) => tether(['webhooks', ...args], { DATABASE_URL: database.url });

async function kept(state: string, tenant = 'acme'): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into webhook_delivery (id, tenant_id, webhook, topic, action_id, version, body, state, attempts, fault)
      values ($1, $2, 'ops', 'pending', $3, 1, '{}', $4, 11, 'it answered HTTP 503')`,
    [id, tenant, randomUUID(), state],
  );
  return id;
}

test('lists the dead letters of a tenant, and sends one again', async () => {
  const dead = await kept('DEAD');
  await kept('DELIVERED');
  await kept('DEAD', 'globex');
  const listed = await webhooks('list', '--tenant', 'acme', '--state', 'dead', '--json');
  expect(listed).toMatchObject({ err: '', code: 0 });
  expect(JSON.parse(listed.out).deliveries).toEqual([
    expect.objectContaining({
      id: dead,
      tenant_id: 'acme',
      webhook: 'ops',
      state: 'DEAD',
      fault: 'it answered HTTP 503',
    }),
  ]);
  const again = await webhooks('redeliver', dead, '--tenant', 'acme');
  expect(again).toMatchObject({ err: '', code: 0, out: expect.stringContaining(dead) });
  expect(await database.query('select state, attempts from webhook_delivery where id = $1', [dead])).toEqual([
    { state: 'DUE', attempts: 0 },
  ]);
  expect(await webhooks('redeliver', dead, '--tenant', 'acme')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no dead message'),
  });
  expect(await webhooks('redeliver', 'x', '--tenant', 'acme')).toMatchObject({ code: 2 });
});
