import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrateAll, prepareSchema, schemaOf } from '../../server/prepare-schema.ts';
import { migrate } from '../../server/store/migrate.ts';
import { migrations } from '../../server/store/migrations/all.ts';
import { createOrm } from '../../server/store/orm.ts';
import { passingTrouble } from '../../server/store/passing-trouble.ts';
import { createTwoRoles, type TwoRoles } from '../support/two-roles.ts';

const silent = pino({ enabled: false });

let roles: TwoRoles;
beforeEach(async () => {
  roles = await createTwoRoles();
});
afterEach(() => roles.drop());

const place = () => ({ url: roles.appUrl, ownerUrl: roles.ownerUrl });
const changeTrail = () => roles.as(roles.appUrl, `update event set at = now()`);

describe('an external database with an owner and a role for the server', () => {
  test('is migrated by the owner, and the server’s role gets what it needs and may not change the trail', async () => {
    const { applied, appRole, rights } = await migrateAll(place(), silent);
    expect(applied).toEqual(migrations.map(({ name }) => name));
    expect(appRole).toBe(roles.app);
    expect(rights.length).toBeGreaterThan(10);
    const owners = await roles.query(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'graphile_worker')`,
    );
    expect(owners).toEqual([{ owner: roles.owner }]);
    await expect(changeTrail()).rejects.toThrow('permission denied for table event');
    for (const statement of [
      'delete from migration',
      `insert into migration (name) values ('x')`,
      'create table mine ()',
    ])
      await expect(roles.as(roles.appUrl, statement), statement).rejects.toThrow('permission denied');
    await roles.as(roles.appUrl, `select graphile_worker.add_job('x')`, 'select * from graphile_worker.jobs');
    expect(await roles.as(roles.appUrl, 'select task_id from graphile_worker._private_jobs')).toHaveLength(1);
  });

  test('tells what broke its session while rights are set, which another try heals', async () => {
    await migrateAll(place(), silent);
    await roles.query(`revoke insert on attempt from ${roles.app}`);
    await roles.query(`create function in_the_grant() returns event_trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); end $$`);
    await roles.query(
      `create event trigger in_the_grant on ddl_command_end when tag in ('GRANT') execute function in_the_grant()`,
    );
    const broken = await migrateAll(place(), silent).catch((error: unknown) => error);
    expect(passingTrouble(broken)).toContain('57P01');
    await roles.query('drop event trigger in_the_grant');
    expect((await migrateAll(place(), silent)).rights).toHaveLength(1);
  });

  test('is left as it is when all is as it should be', async () => {
    await migrateAll(place(), silent);
    expect(await migrateAll(place(), silent)).toEqual({ applied: [], newer: [], appRole: roles.app, rights: [] });
  });

  test('is migrated once when four do it at the same time', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => migrateAll(place(), silent)));
    expect(all.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 0, migrations.length]);
  });

  test('gets back what was taken, and loses what was granted too much, by whatever way', async () => {
    await migrateAll(place(), silent);
    await roles.as(
      roles.ownerUrl,
      `grant update, truncate on event to ${roles.app}`,
      `grant update (detail) on admin_event to ${roles.app}`,
      'grant all on migration to public',
      `revoke insert on attempt from ${roles.app}`,
    );
    await expect(changeTrail()).rejects.toThrow('rows of event are never changed');
    const { rights } = await migrateAll(place(), silent);
    expect(rights).toHaveLength(4);
    await expect(changeTrail()).rejects.toThrow('permission denied');
    for (const statement of [`update admin_event set detail = ''`, 'truncate event', 'delete from migration'])
      await expect(roles.as(roles.appUrl, statement), statement).rejects.toThrow('permission denied');
    await roles.as(roles.appUrl, 'insert into attempt select * from attempt');
  });

  test('that one role made until now changes hands first, as the reason says', async () => {
    await roles.query(`grant create on schema public to ${roles.app}`);
    await roles.query(`grant create on database ${new URL(roles.appUrl).pathname.slice(1)} to ${roles.app}`);
    await migrateAll({ url: roles.appUrl, ownerUrl: roles.appUrl }, silent);
    const refused = await migrateAll(place(), silent).catch((error: unknown) => String(error));
    const [, sql] = /run "(reassign owned by [^"]*(?:"[^"]+"[^"]*)+)" in this database/.exec(String(refused)) ?? [];
    expect(refused).toContain(`belongs to ${roles.app}, the user of DATABASE_URL`);
    await roles.query(String(sql));
    expect((await migrateAll(place(), silent)).appRole).toBe(roles.app);
    await expect(changeTrail()).rejects.toThrow('permission denied');
  });

  test('is refused when the two URLs name two databases', async () => {
    const other = await createTwoRoles();
    try {
      await expect(migrateAll({ url: other.appUrl, ownerUrl: roles.ownerUrl }, silent)).rejects.toThrow(
        'two databases',
      );
      expect(await roles.query(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
    } finally {
      await other.drop();
    }
  });

  test('may be one role by two names', async () => {
    const again = new URL(roles.ownerUrl);
    again.searchParams.set('application_name', 'another');
    expect(await migrate(roles.ownerUrl, { appUrl: again.href })).toMatchObject({ appRole: null, rights: [] });
  });

  test('is refused when the server’s role would look for the tables elsewhere', async () => {
    await roles.query(`alter role ${roles.app} set search_path = elsewhere`);
    await expect(migrateAll(place(), silent)).rejects.toThrow('does not find the tables');
  });
});

describe('a server that is not to migrate', () => {
  const off = () => prepareSchema(place(), 'off', silent);

  test('refuses an empty database, and says what is missing and what to do', async () => {
    await expect(off()).rejects.toThrow(/lacks 0001-staged-writes, .*the job queue.*run "tether migrate"/);
    expect(await roles.query(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('refuses a schema that is behind, whether ours or the queue’s, and takes a current one', async () => {
    await migrate(roles.ownerUrl, { appUrl: roles.appUrl });
    await expect(off()).rejects.toThrow('its schema lacks the job queue, and');
    await migrateAll(place(), silent);
    await off();
    await roles.query(
      'delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)',
    );
    await expect(off()).rejects.toThrow('its schema lacks the job queue, and');
    const orm = createOrm({ url: roles.ownerUrl, poolSize: 1 });
    await orm.migrator.down();
    await orm.close(true);
    await expect(off()).rejects.toThrow(`its schema lacks ${migrations.at(-1)?.name}`);
  });

  test('takes a newer one, with a warning: its successor is taking over', async () => {
    await migrateAll(place(), silent);
    await roles.query(`insert into migration (name) values ('9999-later')`);
    const warned: unknown[] = [];
    const quiet = () => undefined;
    const log = { debug: quiet, info: quiet, error: quiet, warn: (...line: unknown[]) => void warned.push(line) };
    for (const way of ['off', 'auto'] as const) await prepareSchema(place(), way, log);
    expect(warned).toEqual(
      Array(2).fill([{ newer: ['9999-later'] }, expect.stringContaining('newer than this program')]),
    );
    expect(await schemaOf(roles.appUrl)).toEqual({ missing: [], newer: ['9999-later'] });
  });
});

test('the queue that this version asks for is the one that its package makes', async () => {
  await migrateAll(place(), silent);
  const [newest] = await roles.query<{ id: number }>('select max(id) as id from graphile_worker.migrations');
  await roles.query('delete from graphile_worker.migrations where id = $1', [newest?.id]);
  expect((await schemaOf(roles.appUrl)).missing).toEqual(['the job queue']);
});
