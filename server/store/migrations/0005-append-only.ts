import { Migration } from '@mikro-orm/migrations';

const trails = ['event', 'admin_event'] as const;

/**
 * The trails cannot be changed, and only retention shortens them, from their old end. Its functions run with the rights of the
 * tables' owner, so that the role that the server runs as needs none. That role names an age; what the owner says in
 * `audit_floor` is kept in any case.
 */
export class AppendOnly extends Migration {
  override up(): void {
    this.addSql('drop trigger append_only on "admin_event"');
    this.addSql('drop trigger append_only_whole on "admin_event"');
    this.addSql('drop function admin_event_append_only_fn()');
    for (const table of trails) {
      this.addSql(
        `create function ${table}_append_only_fn() returns trigger as $$ begin ${bodyOf(table)} end; $$ language plpgsql`,
      );
      for (const [name, events] of [
        ['append_only', 'update or delete'],
        ['append_only_whole', 'truncate'],
      ])
        this.addSql(`create trigger ${name} before ${events} on "${table}"
          for each statement execute function ${table}_append_only_fn()`);
    }
    this.addSql(
      `create function audit_floor() returns interval language sql immutable as $$ select interval '1 day' $$`,
    );
    this.addSql(retention('retain_events', oldEvents));
    this.addSql(retention('retain_admin_events', oldAdminEvents));
    for (const name of ['retain_events', 'retain_admin_events'])
      this.addSql(`revoke execute on function ${name}(double precision, integer) from public`);
  }

  override down(): void {
    for (const name of ['retain_admin_events', 'retain_events'])
      this.addSql(`drop function ${name}(double precision, integer)`);
    this.addSql('drop function audit_floor()');
    for (const table of trails) {
      for (const name of ['append_only', 'append_only_whole']) this.addSql(`drop trigger ${name} on "${table}"`);
      this.addSql(`drop function ${table}_append_only_fn()`);
    }
    this.addSql(`create function admin_event_append_only_fn() returns trigger as
      $$ begin raise exception 'rows of admin_event are never changed or deleted'; end; $$ language plpgsql`);
    this.addSql(`create trigger append_only before update or delete on "admin_event"
      for each statement execute function admin_event_append_only_fn()`);
    this.addSql(`create trigger append_only_whole before truncate on "admin_event"
      for each statement execute function admin_event_append_only_fn()`);
  }
}

/** As the entities have it, at the time of this migration. */
function bodyOf(table: string): string {
  return `if tg_op <> 'DELETE' or coalesce(current_setting('tether.retaining', true), '') <> 'on' then raise exception 'rows of ${table} are never changed, and nothing but retention deletes them' using errcode = '42501'; end if; return null;`;
}

/**
 * A function that deletes so many rows at most ($2) that are older than so many milliseconds ($1) and than the floor, and tells
 * how many. Every name in it is qualified and the search path pinned: it runs with the owner's rights, and whoever calls it must
 * not be able to put something of theirs in the way. Null deletes nothing.
 */
function retention(name: string, statement: string): string {
  return `do $do$ begin execute format($sql$
    create function %1$I.${name}(keep_ms double precision, at_most integer) returns bigint
    language plpgsql volatile strict security definer set search_path = pg_catalog, pg_temp
    as $body$ declare gone bigint; begin
      perform set_config('tether.retaining', 'on', true);
      ${statement};
      get diagnostics gone = row_count;
      perform set_config('tether.retaining', '', true);
      return gone;
    end $body$ $sql$, current_schema()); end $do$`;
}

const old = `at < now() - greatest($1 * interval '1 millisecond', %1$I.audit_floor())`;

/**
 * But for those of what is not settled yet or needs attention: tenant after tenant, from the beginning of its trail. No more than
 * its first thousand are looked at each time.
 */
const oldEvents = `
  delete from %1$I.event x where x.ctid = any(array(
    with recursive tenants as (
      (select e.tenant_id from %1$I.event e order by e.tenant_id limit 1)
      union all
      select (select e.tenant_id from %1$I.event e where e.tenant_id > t.tenant_id order by e.tenant_id limit 1)
      from tenants t where t.tenant_id is not null
    )
    select e.ctid from tenants t cross join lateral (
      select o.ctid, o.at, o.action_id, o.tenant_id from %1$I.event o where o.tenant_id = t.tenant_id
      order by o.tenant_id, o.transaction_id, o.seq limit 1000) e
    where e.${old} and not exists (
      select from %1$I.action a where a.id = e.action_id and a.tenant_id = e.tenant_id
        and (a.needs_attention or a.state in ('PENDING', 'EXECUTING', 'INDETERMINATE')))
    limit $2))`;

/** Few are written, so no index helps to find them. */
const oldAdminEvents = `
  delete from %1$I.admin_event x where x.ctid = any(array(select e.ctid from %1$I.admin_event e where e.${old} limit $2))`;
