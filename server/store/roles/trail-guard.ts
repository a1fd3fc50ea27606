import type { Client } from 'pg';
import { guarded } from './trails.ts';

/** What keeps the trails as they are against the role of a session. */
export interface TrailGuard {
  readonly role: string;
  /** By which ways this role could change them in spite of the triggers, if it wanted; none: PostgreSQL refuses it. */
  readonly ways: readonly string[];
  /** Triggers that should refuse it to anybody, and are not there or turned off; as `table: trigger`. */
  readonly triggersMissing: readonly string[];
  /** The youngest that retention can be made to delete, in days. */
  readonly floorDays: number;
}

/** Asks the database about the session's own role. The schema must be current. */
export async function trailGuard(session: Client): Promise<TrailGuard> {
  const { rows } = await session.query<{ role: string; ways: string[]; missing: string[]; floor: number }>(question, [
    guarded.map(({ table }) => table).filter((table) => table !== 'migration'),
  ]);
  if (rows[0] === undefined) throw new Error('PostgreSQL does not say who is connected');
  const { role, ways, missing, floor } = rows[0];
  return { role, ways, triggersMissing: missing, floorDays: floor };
}

const question = `
  with trail as (
    select c.oid, c.relname, c.relowner from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = current_schema() and c.relname = any($1::text[])
  ), me as (
    select * from pg_roles where rolname = current_user
  )
  select current_user::text as role,
    array(
      select 'it is a superuser' from me where rolsuper
      union all
      select 'it may run programs or write files on the database server' from me where not rolsuper and (
        pg_has_role(current_user, 'pg_execute_server_program', 'member') or pg_has_role(current_user, 'pg_write_server_files', 'member'))
      union all
      select 'it owns ' || string_agg(relname, ' and ' order by relname) from trail, me where relowner = me.oid and not rolsuper
      having count(*) > 0
      union all
      select distinct 'it is a member of ' || pg_get_userbyid(relowner) || ', the owner' from trail, me
      where relowner <> me.oid and not rolsuper and pg_has_role(current_user, relowner, 'member')
      union all
      select 'it owns the schema ' || nspname || ', and may drop what is in it' from pg_namespace, me
      where nspname = current_schema() and not rolsuper and pg_has_role(current_user, nspowner, 'member')
        and exists (select from trail where not pg_has_role(current_user, relowner, 'member'))
      union all
      select 'it may create in the schema ' || nspname || ', and put something of its own in the way of what the owner calls there'
      from pg_namespace, me
      where nspname = current_schema() and not rolsuper and has_schema_privilege(current_user, pg_namespace.oid, 'create')
        and not pg_has_role(current_user, nspowner, 'member')
        and exists (select from trail where not pg_has_role(current_user, relowner, 'member'))
      union all
      select 'it owns the database, and may drop it' from pg_database, me
      where datname = current_database() and not rolsuper and pg_has_role(current_user, datdba, 'member')
        and exists (select from trail where not pg_has_role(current_user, relowner, 'member'))
      union all
      select 'it may make itself a member of the owner' from me
      where rolcreaterole and not rolsuper and current_setting('server_version_num')::int < 160000
      union all
      select 'it may ' || p || ' ' || relname from trail, me, unnest(array['update', 'delete', 'truncate', 'trigger']) p
      where not rolsuper and not pg_has_role(current_user, relowner, 'member')
        and case p when 'update' then has_any_column_privilege(trail.oid, p) else has_table_privilege(trail.oid, p) end
    ) as ways,
    array(
      select t.name || ': ' || g.name from unnest($1::text[]) t(name), unnest(array['append_only', 'append_only_whole']) g(name)
      where not exists (
        select from pg_trigger x join trail on trail.oid = x.tgrelid
        where trail.relname = t.name and x.tgname = g.name and x.tgenabled in ('O', 'A'))
    ) as missing,
    extract(epoch from audit_floor())::float8 / 86400 as floor`;
