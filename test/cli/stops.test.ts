import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

let database: TestDatabase;
/** A server that runs on the same database. */
let server: Store;

beforeAll(async () => {
  database = await createDatabase();
  server = await openStore({ url: database.url, poolSize: 2 });
  await database.query(`insert into tenant (id) values ('acme'), ('globex')`);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const catalog = 'examples/point-of-sale/tether.yaml';
const run = (...args: string[]) => tether(args, { DATABASE_URL: database.url });

test('stops a tool on every server by the time that it ends, shows it, and resumes it the same way', {
  timeout: 120_000,
}, async () => {
  expect(await server.stops.recent('acme')).toEqual([]);
  const stopping = [
    'stop',
    'tool',
    'void_ticket',
    '--tenant',
    'acme',
    '--reason',
    'It double-books.',
    '--catalog',
    catalog,
  ];
  const { out, err, code } = await run(...stopping);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  expect(out).toContain('tool void_ticket');
  const stop = { tenantId: 'acme', kind: 'TOOL', name: 'void_ticket', reason: 'It double-books.' };
  expect(await server.stops.recent('acme')).toEqual([
    expect.objectContaining({ ...stop, by: { credentialId: 'tether stop', userId: userInfo().username } }),
  ]);
  const again = await run(...stopping);
  expect(again.code).toBe(0);

  const listed = await run('stop', 'list', '--every-tenant', '--json');
  expect(JSON.parse(listed.out)).toEqual({
    stops: [
      expect.objectContaining({ tenant_id: 'acme', kind: 'TOOL', name: 'void_ticket', reason: 'It double-books.' }),
    ],
  });
  const resumed = await run('resume', 'tool', 'void_ticket', '--tenant', 'acme', '--reason', 'Repaired.');
  expect(resumed).toMatchObject({ err: '', code: 0 });
  expect(await server.stops.recent('acme')).toEqual([]);
  expect((await run('stop', 'list', '--tenant', 'acme')).out).toBe('Nothing is stopped in tenant acme.\n');
  expect(
    await database.query(`select type, actor_user from admin_event where tenant_id = 'acme' order by seq`),
  ).toEqual(['STOPPED', 'RESUMED'].map((type) => ({ type, actor_user: userInfo().username })));
});

test('stops and resumes something in every tenant at once', { timeout: 120_000 }, async () => {
  expect((await run('stop', 'endpoint', 'pos', '--every-tenant', '--catalog', catalog)).code).toBe(0);
  for (const tenant of ['acme', 'globex'])
    expect(await server.stops.list(tenant)).toEqual([expect.objectContaining({ kind: 'ENDPOINT', name: 'pos' })]);
  expect((await run('resume', 'endpoint', 'pos', '--tenant', 'acme')).code).toBe(0);
  expect((await run('resume', 'endpoint', 'pos', '--every-tenant')).code).toBe(0);
  expect(await server.stops.list('globex')).toEqual([]);
});

test.for([
  [['stop', 'tool', 'void_tickets', '--tenant', 'acme', '--catalog', catalog], 1, 'No tool is called "void_tickets"'],
  [['stop', 'tool', 'void_ticket', '--tenant', 'acme', '--catalog', 'nowhere.yaml'], 1, '--unchecked'],
  [['stop', 'tenant', '--tenant', 'initech'], 1, 'There is no tenant initech'],
  [['resume', 'tenant', '--tenant', 'acme'], 1, 'is not stopped'],
  [['stop', 'tenant'], 2, '--tenant <id>, or --every-tenant'],
  [['stop', 'tool', '--tenant', 'acme'], 2, 'name'],
] as const)('%o is refused, and changes nothing', async ([args, exit, why]) => {
  const { err, code } = await run(...args);
  expect({ code, err }).toEqual({ code: exit, err: expect.stringContaining(why) });
  expect(await server.stops.list('acme')).toEqual([]);
});
