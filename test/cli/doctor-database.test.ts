import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkClock, checkConnections } from '../../server/cli/doctor/database.ts';
import { checkTransactions } from '../../server/cli/doctor/record.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createTwoRoles, type TwoRoles } from '../support/two-roles.ts';
import { examine } from './examine.ts';
import { tether } from './run.ts';

/** The doctor looks at more than the database; ports that somebody uses are not what this is about. */
const freePorts = { TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0' };

describe('of an external database the doctor finds', { timeout: 120_000 }, () => {
  let roles: TwoRoles;
  let urls: Record<string, string>;
  beforeEach(async () => {
    roles = await createTwoRoles();
    urls = { ...freePorts, DATABASE_URL: roles.appUrl, TETHER_OWNER_DATABASE_URL: roles.ownerUrl };
  });
  afterEach(() => roles.drop());

  test('that its schema is behind, and what that means for the next start', async () => {
    expect((await examine(urls)).of('schema')).toMatchObject([
      {
        status: 'warn',
        message: expect.stringContaining('lacks 0001-staged-writes'),
        advice: expect.stringContaining('next start'),
      },
    ]);
    expect((await examine({ ...urls, TETHER_MIGRATE: 'off' })).of('schema')).toMatchObject([{ status: 'fail' }]);
    expect(await roles.query(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('whether its role can change the trail, by which way, and whether triggers are off', async () => {
    expect((await tether(['migrate'], urls)).code).toBe(0);
    const well = await examine(urls);
    for (const check of [
      'owner',
      'schema',
      'trail',
      'trail-triggers',
      'retention',
      'transactions',
      'connections',
      'clock',
    ])
      expect(well.of(check)).toMatchObject([{ status: 'ok' }]);
    expect(well.out).not.toContain('secret');

    expect((await examine({ ...freePorts, DATABASE_URL: roles.ownerUrl })).of('trail')).toMatchObject([
      { status: 'warn', message: expect.stringContaining('it owns admin_event and event') },
    ]);
    await roles.as(roles.ownerUrl, 'alter table event disable trigger append_only');
    await roles.query(`grant ${roles.owner} to ${roles.app}`);
    const ill = await examine(urls);
    expect(ill.of('trail')).toMatchObject([
      { status: 'fail', message: expect.stringContaining(`a member of ${roles.owner}, the owner`) },
    ]);
    expect(ill.of('trail-triggers')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('event: append_only') },
    ]);
    await roles.query(`revoke ${roles.owner} from ${roles.app}`);
    await roles.as(roles.ownerUrl, `grant update (note) on event to ${roles.app}`);
    expect((await examine(urls)).of('trail')[0]?.message).toContain('it may update event');

    await roles.as(
      roles.ownerUrl,
      `create or replace function audit_floor() returns interval language sql immutable as $$ select interval '730 days' $$`,
    );
    expect((await examine(urls)).of('retention')).toMatchObject([
      { status: 'warn', message: expect.stringContaining('730 days, not 365') },
    ]);

    await roles.query(`grant create on schema public to ${roles.app}`);
    expect((await examine(urls)).of('trail')[0]?.message).toContain('it may create in the schema public');

    // Whoever owns the database owns its schema public too, since PostgreSQL 15.
    await roles.query(`alter database ${new URL(roles.appUrl).pathname.slice(1)} owner to ${roles.app}`);
    await roles.query(`alter schema public owner to ${roles.app}`);
    expect((await examine(urls)).of('trail')[0]?.message).toMatch(
      /it owns the schema public, and may drop what is in it, and it owns the database/,
    );
    await roles.as(roles.appUrl, 'begin; drop table event; rollback');
  });

  test('that the owner is no other role, or of another database', async () => {
    expect(
      (await examine({ ...urls, DATABASE_URL: `${roles.ownerUrl}?application_name=x` })).of('owner'),
    ).toMatchObject([{ status: 'fail', message: expect.stringContaining('one role') }]);
    const elsewhere = new URL(roles.ownerUrl);
    elsewhere.pathname = '/postgres';
    expect((await examine({ ...urls, TETHER_OWNER_DATABASE_URL: elsewhere.href })).of('owner')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('two databases') },
    ]);
  });

  test('that its PostgreSQL is too old, as does whoever prepares its schema or asks about it', async () => {
    const owner = new URL(roles.ownerUrl);
    // Whoever asks finds this before what PostgreSQL itself says.
    owner.searchParams.set('options', '-c search_path=public,pg_catalog');
    const as = `select case name when 'server_version' then '13.23' when 'server_version_num' then '130023'
      else pg_catalog.current_setting(name) end`;
    await roles.as(
      roles.ownerUrl,
      `create function current_setting(name text) returns text language sql as $$ ${as} $$`,
    );
    const old = { ...freePorts, DATABASE_URL: owner.href };
    expect((await examine(old)).of('database')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('13.23'), advice: expect.stringContaining('14 or newer') },
    ]);
    for (const command of [['migrate'], ['migrate', '--status']])
      expect(await tether(command, old)).toMatchObject({
        code: expect.not.toSatisfy((code) => code === 0),
        err: expect.stringContaining('it is PostgreSQL 13.23, and 14 or newer is needed'),
      });
    expect(await roles.query(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('what may lose the record: commits that do not wait for the disk', async () => {
    await roles.query(`alter role ${roles.app} set synchronous_commit = off`);
    const [first, second] = (await examine(urls)).of('database-settings');
    // This server is a test's, whose data need not outlive a power failure.
    expect(first?.message).toContain('turned off: fsync, full_page_writes');
    expect(second).toMatchObject({ status: 'fail', message: expect.stringContaining('synchronous_commit is off') });
  });
});

describe('of a running database the doctor finds', () => {
  let database: TestDatabase;
  let session: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    session = new pg.Client({ connectionString: database.appUrl });
    await session.connect();
  });
  afterAll(async () => {
    await session.end();
    await database.drop();
  });

  test('a long transaction that writes, by its effect or by its name', async () => {
    const slow = new pg.Client({ connectionString: database.url, application_name: 'nightly' });
    await slow.connect();
    await database.query(`insert into tenant (id) values ('acme')`);
    await slow.query('begin; select pg_current_xact_id()');
    await database.query(
      `insert into event (action_id, version, tenant_id, type, to_state, effect, preview_digest, at)
       values (gen_random_uuid(), 1, 'acme', 'STAGED', 'PENDING', 'NONE', '', now() - interval '5 minutes')`,
    );
    const held = await checkTransactions(session);
    await slow.end();
    expect(held).toMatchObject([
      { status: 'warn', message: expect.stringContaining('events of 300 s ago cannot be told yet') },
    ]);
    await expect.poll(() => checkTransactions(session)).toMatchObject([{ status: 'ok' }]);
  });

  test('a clock that is off, and by how much', async () => {
    expect(await checkClock(session)).toMatchObject([{ status: 'ok' }]);
    expect(await checkClock(session, () => Date.now() - 10_000)).toMatchObject([
      { status: 'warn', message: expect.stringMatching(/clock is (9\.9|10)\S* s behind the database's/) },
    ]);
    expect(await checkClock(session, () => Date.now() + 3_600_000)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('ahead of') },
    ]);
  });

  test('a pool that the database has no room for', async () => {
    expect(await checkConnections(session, 10)).toMatchObject([{ status: 'ok' }]);
    expect(await checkConnections(session, 500)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('up to 506') },
    ]);
    const [{ most = 0 } = {}] = await database.query<{ most: number }>(
      `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
    );
    expect(await checkConnections(session, most - 6)).toMatchObject([{ status: 'warn' }]);
  });
});
