import type { Database, Statement } from '../database.ts';

/** What may go, with all that hangs on it. The ids are handed on as an array: a join would be planned over whole tables. */
function hanging(table: string): string {
  return `delete from ${table} x
      where x.action_id = any(array(select id from gone)) and (x.action_id, x.tenant_id) in (select id, tenant_id from gone)`;
}

/**
 * Settled, without a doubt, and old; an intent is needed as long as its window, and a rejection as long as it would have waited.
 * One that somebody is about to move is left for the next time.
 */
const oldActions: Statement = {
  writes: true,
  text: `
    with gone as (
      select a.id, a.tenant_id, a.intent_hash from action a
      where a.created_at < now() - $1::float8 * interval '1 millisecond'
        and a.settled_at < now() - greatest($1::float8, a.intent_window_ms) * interval '1 millisecond'
        and a.expires_at < now() and a.state not in ('PENDING', 'EXECUTING', 'INDETERMINATE') and a.effect <> 'UNKNOWN'
        and not exists (
          select from attempt t where t.action_id = a.id and t.tenant_id = a.tenant_id and t.effect = 'UNKNOWN')
      limit $2
      for update skip locked
    ), attempts as (
      ${hanging('attempt')}
    ), requests as (
      ${hanging('stage_request')}
    ), keys as (
      ${hanging('confirm_key')}
    ), intents as (
      delete from intent x
      where x.intent_hash = any(array(select intent_hash from gone))
        and (x.action_id, x.tenant_id) in (select id, tenant_id from gone)
    )
    delete from action x
    where x.tenant_id = any(array(select tenant_id from gone)) and x.id = any(array(select id from gone))
      and (x.id, x.tenant_id) in (select id, tenant_id from gone)
    returning x.id`,
};

/**
 * Old events, but for those of what is not settled yet or needs attention: tenant after tenant, from the beginning of its trail. No
 * more than its first thousand are looked at each time.
 */
const oldEvents: Statement = {
  writes: true,
  text: `
    with recursive tenants as (
      (select e.tenant_id from event e order by e.tenant_id limit 1)
      union all
      select (select e.tenant_id from event e where e.tenant_id > t.tenant_id order by e.tenant_id limit 1)
      from tenants t where t.tenant_id is not null
    )
    delete from event x where x.ctid = any(array(
      select e.ctid from tenants t cross join lateral (
        select o.ctid, o.at, o.action_id, o.tenant_id from event o where o.tenant_id = t.tenant_id
        order by o.tenant_id, o.transaction_id, o.seq limit 1000) e
      where e.at < now() - $1::float8 * interval '1 millisecond' and not exists (
        select from action a where a.id = e.action_id and a.tenant_id = e.tenant_id
          and (a.needs_attention or a.state in ('PENDING', 'EXECUTING', 'INDETERMINATE')))
      limit $2))
    returning x.seq`,
};

/** See {@link ActionStore.retain}. */
export async function retain(
  database: Database,
  { actionsMs, eventsMs, limit }: { readonly actionsMs: number; readonly eventsMs: number; readonly limit: number },
): Promise<number> {
  const actions = await database.run(oldActions, [actionsMs, limit]);
  const events = await database.run(oldEvents, [eventsMs, limit]);
  return actions.length + events.length;
}
