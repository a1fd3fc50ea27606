import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { migrate } from '../../server/store/migrate.ts';
import { openStore } from '../../server/store/open.ts';
import { passingTrouble } from '../../server/store/passing-trouble.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startRefusing } from '../support/refusing-database.ts';
import { createWay } from '../support/way.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase({ empty: true });
});
afterAll(() => database.drop());

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it went through'),
    (error: unknown) => error,
  );
}

function urlWith(change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port' | 'hostname'>>): string {
  return Object.assign(new URL(database.url), change).href;
}

/** As the store meets it, and as the migration does. */
async function bothWays(url: string): Promise<unknown[]> {
  const store = await openStore({ url, poolSize: 1 });
  const found = [await thrownBy(store.ping()), await thrownBy(migrate(url))];
  await store.close();
  expect(found[0]).toBeInstanceOf(StoreUnavailable);
  return found;
}

test('that nobody listens there may pass', async () => {
  for (const error of await bothWays(urlWith({ port: '1' }))) expect(passingTrouble(error)).toContain('ECONNREFUSED');
});

test('that the name is not known may pass', async () => {
  for (const error of await bothWays(urlWith({ hostname: 'nowhere.invalid' })))
    expect(passingTrouble(error)).toMatch(/ENOTFOUND|EAI_AGAIN/);
});

test('that nobody answers in time may pass', async () => {
  const way = await createWay(database.url);
  way.deaf();
  for (const error of await bothWays(way.url)) expect(passingTrouble(error)).toMatch(/^timeout e|terminated/);
  await way.close();
}, 30_000);

test.each(['57P03', '57P01', '53300', '08006'])(
  'what PostgreSQL says with %s before it lets anybody in may pass',
  async (code) => {
    const server = await startRefusing(code);
    for (const error of await bothWays(server.url)) expect(passingTrouble(error)).toContain(code);
    server.close();
  },
);

test('too many connections may pass', async () => {
  const name = `visitor_${process.pid}`;
  await database.query(`create role ${name} login password 'visitor' connection limit 0`);
  for (const error of await bothWays(urlWith({ username: name, password: 'visitor' })))
    expect(passingTrouble(error)).toContain('53300');
  await database.query(`drop role ${name}`);
});

test('a wrong password stays wrong', async () => {
  for (const error of await bothWays(urlWith({ password: 'wrong' }))) expect(passingTrouble(error)).toBeUndefined();
});

test('a database that there is not does not appear', async () => {
  for (const error of await bothWays(urlWith({ pathname: '/nowhere' }))) expect(passingTrouble(error)).toBeUndefined();
});

test('rights that are missing are not given by waiting', async () => {
  const name = `guest_${process.pid}`;
  await database.query(`create role ${name} login password 'guest'`);
  // Before PostgreSQL 15 anybody could.
  await database.query('revoke create on schema public from public');
  const error = await thrownBy(migrate(urlWith({ username: name, password: 'guest' })));
  expect(error).toMatchObject({ code: '42501' });
  expect(passingTrouble(error)).toBeUndefined();
  await database.query(`drop role ${name}`);
});

test('a way that breaks may open again', async () => {
  await migrate(database.url);
  const way = await createWay(database.url);
  const store = await openStore({ url: way.url, poolSize: 1 });
  await store.ping();
  const lost = thrownBy(store.credentials.createFirstTenant(async () => way.cut()));
  expect(passingTrouble(await lost)).toBeDefined();
  await store.close();
  await way.close();
});

test('a mistake of ours is no trouble of the database', () => {
  for (const error of [new TypeError('x is not a function'), new Error('anything'), 'a text', undefined])
    expect(passingTrouble(error)).toBeUndefined();
});
