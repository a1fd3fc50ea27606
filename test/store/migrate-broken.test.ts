import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateAll } from '../../server/prepare-schema.ts';
import { migrate } from '../../server/store/migrate.ts';
import { createOrm } from '../../server/store/orm.ts';
import { passingTrouble } from '../../server/store/passing-trouble.ts';
import { schemaState } from '../../server/store/schema-state.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runServer } from '../support/server-program.ts';
import { createWay, type Way } from '../support/way.ts';

let database: TestDatabase;
let way: Way;

/** One migration is left to do. */
beforeEach(async () => {
  database = await createDatabase({ empty: true });
  way = await createWay(database.url);
  const orm = createOrm({ url: database.url, poolSize: 1 });
  await orm.migrator.up({ to: '0006-stops' });
  await orm.close(true);
});
afterEach(async () => {
  await way.close();
  await database.drop();
});

/** What is done in the commit of a migration, when everything else of it is done. */
async function inTheCommit(work: string, table = 'migration'): Promise<void> {
  await database.query(
    `create function in_the_commit() returns trigger language plpgsql as $$ begin ${work}; return null; end $$`,
  );
  await database.query(`create constraint trigger in_the_commit after insert on ${table} deferrable initially deferred
    for each row execute function in_the_commit()`);
}

async function pending(): Promise<readonly string[]> {
  return (await schemaState(database.url)).pending;
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('it went through'),
    (error: unknown) => error,
  );
}

test('a migration whose session is ended in its commit fails, is found not done, and is done by the next try', async () => {
  await inTheCommit('perform pg_terminate_backend(pg_backend_pid())');
  const error = await failure(migrate(database.url));
  expect(passingTrouble(error)).toContain('57P01');
  expect(await pending()).toEqual(['0007-webhooks']);
  await database.query('drop function in_the_commit cascade');
  expect(await migrate(database.url)).toMatchObject({ applied: ['0007-webhooks'] });
});

test('a migration whose commit is done and never answered fails, is found done, and the next try goes on', async () => {
  const gate = 4711;
  await inTheCommit(`perform pg_advisory_xact_lock(${gate})`);
  const keeper = new pg.Client(database.url);
  await keeper.connect();
  await keeper.query('select pg_advisory_lock($1)', [gate]);
  const failed = failure(migrate(way.url));
  await expect
    .poll(() => database.query('select from pg_locks where objid = $1 and not granted', [gate]))
    .toHaveLength(1);
  way.deaf();
  await keeper.end();
  await expect.poll(pending).toEqual([]);
  way.cut();
  expect(passingTrouble(await failed)).toMatch(/Connection terminated|ECONNRESET/);
  expect(await migrate(way.url)).toMatchObject({ applied: [] });
});

test("so it is with the job queue's own migrations", async () => {
  const silent = pino({ enabled: false });
  const place = { url: database.url, ownerUrl: database.url };
  await migrateAll(place, silent);
  const done = 'select max(id)::int as done from graphile_worker.migrations';
  const [newest] = await database.query<{ done: number }>(done);
  await database.query('delete from graphile_worker.migrations where id = $1', [newest?.done]);
  await inTheCommit('perform pg_terminate_backend(pg_backend_pid())', 'graphile_worker.migrations');
  expect(passingTrouble(await failure(migrateAll(place, silent)))).toMatch(/57P01|Connection terminated/);
  expect(await database.query(done)).toEqual([{ done: (newest?.done ?? 0) - 1 }]);
  await database.query('drop function in_the_commit cascade');
  await migrateAll(place, silent);
  expect(await database.query(done)).toEqual([newest]);
});

test('a server whose migration breaks in its commit tries again, and starts when it can', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tether-broken-'));
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, 'version: 1\nendpoints: {}\ntools: {}\n');
  await inTheCommit('perform pg_terminate_backend(pg_backend_pid())');
  const server = runServer({ DATABASE_URL: database.url, TETHER_DATA_DIR: directory, TETHER_CATALOG: catalog });
  try {
    const told = await server.said('the database cannot be used yet; it is tried again until it can');
    expect(told.reason).toContain('57P01');
    await database.query('drop function in_the_commit cascade');
    await server.ready();
    expect(await pending()).toEqual([]);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  } finally {
    server.signal('SIGKILL');
    await server.ended;
    await rm(directory, { recursive: true, force: true });
  }
});
