import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { applied, claimed, staged, succeeded } from './proposal.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createDatabase();
  store = await openStore({ url: database.appUrl, poolSize: 2 });
  await applied(store.actions, succeeded(await claimed(store.actions, await staged(store.actions))));
  await store.credentials.createTenant('acme');
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** All on one connection; the last statement's rows, or the SQLSTATE that it was refused with. */
async function as(url: string, ...statements: readonly string[]): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown;
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } catch (error) {
    return error instanceof pg.DatabaseError ? error.code : error;
  } finally {
    await client.end();
  }
}

async function trail(): Promise<{ events: number; admin: number }> {
  const [row] = await database.query<{ events: number; admin: number }>(
    'select (select count(*)::int from event) as events, (select count(*)::int from admin_event) as admin',
  );
  if (row === undefined) throw new Error('no counts');
  return row;
}

const refused = '42501';
const outOfRange = '22008';

test('adding to a trail fires no trigger, and a statement that is refused fires one, however many rows it is about', async () => {
  // Bits of tgtype: 1 for each row, 4 on insert (PostgreSQL's trigger.h).
  const triggers = await database.query(
    `select tgrelid::regclass::text as table, tgname, (tgtype & 1) = 1 as for_each_row, (tgtype & 4) = 4 as on_insert
     from pg_trigger where tgrelid in ('event'::regclass, 'admin_event'::regclass) order by 1, 2`,
  );
  expect(triggers).toEqual(
    ['admin_event', 'event'].flatMap((table) =>
      ['append_only', 'append_only_whole'].map((tgname) => ({ table, tgname, for_each_row: false, on_insert: false })),
    ),
  );
});

describe.each(['event', 'admin_event'])('the role that the server runs as cannot change %s:', (table) => {
  test.each([
    `update ${table} set actor_user = 'nobody'`,
    `update ${table} set at = now() where false`,
    `delete from ${table}`,
    `truncate ${table}`,
    `truncate ${table} cascade`,
    `alter table ${table} disable trigger all`,
    `alter table ${table} add column more text`,
    `alter table ${table} owner to current_user`,
    `drop table ${table}`,
    `drop trigger append_only on ${table}`,
    `create trigger mine before insert on ${table} for each row execute function ${table}_append_only_fn()`,
    `create or replace function ${table}_append_only_fn() returns trigger as 'begin return null; end' language plpgsql`,
    `create rule mine as on insert to ${table} do instead nothing`,
    `grant update on ${table} to current_user`,
    `begin; lock table ${table} in access exclusive mode`,
    `insert into ${table} select * from ${table} on conflict do nothing; update ${table} set at = now()`,
  ])('%s', async (statement) => {
    const before = await trail();
    const expected = statement.startsWith('grant') ? [] : refused;
    expect(await as(database.appUrl, statement)).toEqual(expected);
    // Granting what one may not grant is a warning to PostgreSQL, so it is tried what came of it.
    expect(await as(database.appUrl, `update ${table} set at = now()`)).toBe(refused);
    expect(await trail()).toEqual(before);
  });

  test('not as another role, not with triggers off, and not by saying that it is retention', async () => {
    expect(await as(database.appUrl, 'set role tether')).toBe(refused);
    expect(await as(database.appUrl, `set session_replication_role = 'replica'`)).toBe(refused);
    expect(await as(database.appUrl, `set tether.retaining = 'on'`, `delete from ${table}`)).toBe(refused);
  });

  test('where the server runs as the owner, a trigger refuses it', async () => {
    const before = await trail();
    for (const statement of [
      `update ${table} set actor_user = 'nobody'`,
      `delete from ${table}`,
      `truncate ${table}`,
      `set tether.retaining = 'on'; update ${table} set actor_user = 'nobody'`,
    ])
      expect(await as(database.url, statement), statement).toBe(refused);
    expect(await trail()).toEqual(before);
  });
});

describe('retention', () => {
  const old = (days: number) =>
    Promise.all(
      ['event', 'admin_event'].map((table) =>
        database.forge(`update ${table} set at = now() - interval '${days} days'`),
      ),
    );
  const retain = (ms: string) =>
    as(database.appUrl, `select retain_events(${ms}, 1000) as events, retain_admin_events(${ms}, 1000) as admin`);

  test('deletes nothing that is younger than a day, whatever age it is told', async () => {
    await old(0.9);
    const before = await trail();
    expect(before).toEqual({ events: 3, admin: 3 });
    for (const ms of ['0', '-1', '1']) expect(await retain(ms), ms).toEqual([{ events: '0', admin: '0' }]);
    // Before PostgreSQL 17 no interval is infinite.
    expect([[{ events: '0', admin: '0' }], outOfRange]).toContainEqual(await retain(`'-infinity'`));
    expect(await retain('null')).toEqual([{ events: null, admin: null }]);
    for (const ms of [`'nan'`, `'infinity'`]) await retain(ms);
    expect(await trail()).toEqual(before);
  });

  test('keeps what the owner says in any case, and whoever runs the server cannot say otherwise', async () => {
    await old(300);
    const say = (days: number) =>
      `create or replace function audit_floor() returns interval language sql immutable as $$ select interval '${days} days' $$`;
    expect(await as(database.appUrl, say(1))).toBe(refused);
    expect(await as(database.url, say(365))).toEqual([]);
    expect(await retain('86400000')).toEqual([{ events: '0', admin: '0' }]);
    expect(await as(database.url, say(1))).toEqual([]);
  });

  test('cannot be led astray by what its caller puts in the way', async () => {
    await old(0.9);
    const before = await trail();
    const told = await as(
      database.appUrl,
      'create temporary table event (like public.event)',
      'create temporary table action (like public.action)',
      `create function pg_temp.audit_floor() returns interval language sql as $$ select interval '-1 day' $$`,
      `create function pg_temp.now() returns timestamptz language sql as $$ select 'infinity'::timestamptz $$`,
      'set search_path = pg_temp, public, pg_catalog',
      'select public.retain_events(0, 1000) as events',
    );
    expect(told).toEqual([{ events: '0' }]);
    expect(await trail()).toEqual(before);
  });

  test('is nobody’s whom the owner did not let', async () => {
    const rights = await database.query(
      `select has_function_privilege('pg_monitor', f::regprocedure, 'execute') as may
       from unnest(array['retain_events(float8, int)', 'retain_admin_events(float8, int)']) f`,
    );
    expect(rights).toEqual([{ may: false }, { may: false }]);
  });

  test('deletes what is older, as it is asked', async () => {
    await old(2);
    expect(await retain('86400000')).toEqual([{ events: '3', admin: '3' }]);
    expect(await trail()).toEqual({ events: 0, admin: 0 });
  });
});
