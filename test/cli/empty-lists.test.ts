import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(`insert into tenant (id) values ('acme')`);
});
afterAll(() => database.drop());

test.each<[readonly string[], string, object]>([
  [['keys', 'list', '--tenant', 'acme'], 'Tenant acme has no credentials.', { credentials: [] }],
  [['stop', 'list', '--tenant', 'acme'], 'Nothing is stopped in tenant acme.', { stops: [] }],
  [['stop', 'list', '--every-tenant'], 'Nothing is stopped in any tenant.', { stops: [] }],
  [['webhooks', 'list', '--tenant', 'acme'], 'Tenant acme has no messages to webhooks.', { deliveries: [] }],
  [
    ['webhooks', 'list', '--tenant', 'acme', '--state', 'dead'],
    'Tenant acme has no messages to webhooks that are dead.',
    { deliveries: [] },
  ],
])('%j, of which there are none, says so and is no failure', { timeout: 180_000 }, async (args, text, json) => {
  const env = { DATABASE_URL: database.url };
  expect(await tether(args, env)).toEqual({ out: `${text}\n`, err: '', code: 0 });
  const told = await tether([...args, '--json'], env);
  expect({ ...told, out: JSON.parse(told.out) }).toEqual({ out: json, err: '', code: 0 });
});
