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

/** The trails are not ours to delete from: these functions are the only way, and know what must stay. */
const oldEvents: Statement = { writes: true, text: 'select retain_events($1, $2)::int as gone' };
const oldAdminEvents: Statement = { writes: true, text: 'select retain_admin_events($1, $2)::int as gone' };

/** See {@link ActionStore.retain}. */
export async function retain(
  database: Database,
  { actionsMs, eventsMs, limit }: { readonly actionsMs: number; readonly eventsMs: number; readonly limit: number },
): Promise<number> {
  const actions = await database.run(oldActions, [actionsMs, limit]);
  let gone = actions.length;
  for (const statement of [oldEvents, oldAdminEvents]) {
    const [row] = await database.run<{ gone: number }>(statement, [eventsMs, limit]);
    gone += row?.gone ?? 0;
  }
  return gone;
}
