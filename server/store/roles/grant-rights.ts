import type { Client } from 'pg';
import { entities } from '../entities/all.ts';
import { guarded, queueSchema } from './trails.ts';

/**
 * Sees to it that a role may do what the server does, and no more with the trail: everything with the ordinary tables and with the
 * job queue, reading and adding with the trails. What is missing is granted, what is too much is taken; returns that as SQL. What
 * comes from elsewhere (a superuser, a member of the owner) cannot be taken here.
 *
 * @param owner a session of the tables' owner, which must hold the migration lock: two at once would get in each other's way.
 */
export async function grantRights(owner: Client, role: string): Promise<readonly string[]> {
  const names = guarded.map(({ table }) => table);
  const ordinary = entities.map(({ meta }) => meta.tableName).filter((name) => !names.some((each) => each === name));
  const done: string[] = [];
  await owner.query('begin');
  try {
    for (const [text, values] of questions(ordinary, [...ordinary, ...names])) {
      const { rows } = await owner.query<{ sql: string }>(text, [role, ...values]);
      for (const { sql } of rows) {
        await owner.query(sql);
        done.push(sql);
      }
    }
    await owner.query('commit');
    return done;
  } catch (error) {
    // Over a connection that broke it fails too, and would say so in the place of what happened.
    await owner.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** What is missing and what is too much, each with what it asks about beside the role. */
function questions(ordinary: readonly string[], all: readonly string[]): [text: string, values: readonly unknown[]][] {
  return [
    [schemas, [queueSchema]],
    [tables, [queueSchema, ordinary]],
    [sequences, [queueSchema, all]],
    [types, []],
    [functions, [queueSchema]],
    [policies, [queueSchema]],
    ...guarded.map(({ table, may }): [string, unknown[]] => [guardedTable, [table, may]]),
    ...guarded.map(({ table, may }): [string, unknown[]] => [tooMuch, [table, excessOf(may)]]),
  ];
}

/** Whatever can change rows, or have them changed. */
function excessOf(may: readonly string[]): string[] {
  return ['insert', 'update', 'delete', 'truncate', 'trigger'].filter((each) => !may.includes(each));
}

const schemas = `
  select format('grant usage on schema %I to %I', n.nspname, $1::text) as sql from pg_namespace n
  where n.nspname in (current_schema(), $2) and not has_schema_privilege($1, n.oid, 'usage')`;

/** $3: which of ours; of the queue all, whatever its version keeps. */
const tables = `
  select format('grant select, insert, update, delete on %I.%I to %I', n.nspname, c.relname, $1::text) as sql
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v')
    and (n.nspname = $2 or (n.nspname = current_schema() and c.relname = any($3::text[])))
    and exists (select from unnest(array['select', 'insert', 'update', 'delete']) p where not has_table_privilege($1, c.oid, p))`;

/** $2: a table, $3: what may be done with it. */
const guardedTable = `
  select format('grant %s on %I.%I to %I', array_to_string($3::text[], ', '), n.nspname, c.relname, $1::text) as sql
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = current_schema() and c.relname = $2
    and exists (select from unnest($3::text[]) p where not has_table_privilege($1, c.oid, p))`;

/** $2: a table, $3: what may not be done with it. What was granted to all is as good as granted to this role. */
const tooMuch = `
  select format('revoke %s on %I.%I from %I, public', array_to_string($3::text[], ', '), n.nspname, c.relname, $1::text) as sql
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.rolname = $1
  where c.relkind = 'r' and n.nspname = current_schema() and c.relname = $2
    and exists (
      select from aclexplode(c.relacl) a where a.grantee in (r.oid, 0) and lower(a.privilege_type) = any($3::text[])
      union all
      select from pg_attribute t cross join lateral aclexplode(t.attacl) a
      where t.attrelid = c.oid and a.grantee in (r.oid, 0) and lower(a.privilege_type) = any($3::text[]))`;

/** Those that number rows of ours ($3), and the queue's. The question about anything else is an error, and no order is sure without `case`. */
const sequences = `
  select format('grant usage on sequence %I.%I to %I', n.nspname, s.relname, $1::text) as sql
  from pg_class s join pg_namespace n on n.oid = s.relnamespace
  where case when s.relkind = 'S' then not has_sequence_privilege($1, s.oid, 'usage') end
    and (n.nspname = $2 or (n.nspname = current_schema() and exists (
      select from pg_depend d join pg_class c on c.oid = d.refobjid
      where d.objid = s.oid and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
        and d.deptype in ('a', 'i') and c.relname = any($3::text[]) and c.relname <> 'migration')))`;

/** Ours; anybody may use them unless somebody took that away. */
const types = `
  select format('grant usage on type %I.%I to %I', n.nspname, t.typname, $1::text) as sql
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typtype = 'e' and n.nspname = current_schema() and not has_type_privilege($1, t.oid, 'usage')`;

const functions = `
  select format('grant execute on function %s to %I', p.oid::regprocedure, $1::text) as sql
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where not has_function_privilege($1, p.oid, 'execute')
    and (n.nspname = $2 or (n.nspname = current_schema() and p.proname in ('retain_events', 'retain_admin_events', 'audit_floor')))`;

/** The queue's tables show their rows to their owner alone, unless a policy says otherwise. */
const policies = `
  select format('create policy %I on %I.%I to %I using (true) with check (true)', 'tether_' || r.oid, n.nspname, c.relname, $1::text)
    as sql
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.rolname = $1
  where c.relkind = 'r' and c.relrowsecurity and n.nspname = $2
    and not exists (select from pg_policy p where p.polrelid = c.oid and r.oid = any(p.polroles))`;
