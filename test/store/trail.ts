import { expect } from 'vitest';
import type { TestDatabase } from '../support/database.ts';

/**
 * Every version of every action has its event, each begins where the one before ended, and the last one says what the row
 * says; no event, attempt, intent or request id stands without its action; and what needs attention is marked so.
 */
export async function expectCompleteTrails(database: TestDatabase): Promise<void> {
  const gaps = await database.query(`
    select a.id, a.version, a.state, e.events from action a
    left join lateral (
      select json_agg(json_build_array(version, from_state, to_state) order by version) as events, count(*) as count,
        max(version) as last, bool_and(version = 1 or from_state = before) as chained,
        (array_agg(to_state order by version desc))[1] as state, (array_agg(effect order by version desc))[1] as effect
      from (
        select e.*, lag(to_state) over (order by version) as before from event e
        where e.action_id = a.id and e.tenant_id = a.tenant_id
      ) e
    ) e on true
    where (e.count = a.version and e.last = a.version and e.chained and e.state = a.state and e.effect = a.effect)
      is not true`);
  expect(gaps).toEqual([]);
  const unmarked = await database.query(`
    select a.id, a.state, a.effect, a.decided, a.needs_attention from action a
    where a.needs_attention <> (a.state <> 'EXECUTING' and (a.state = 'INDETERMINATE'
      or coalesce(a.decided like '%"state":"UNVERIFIED"%', false) or (a.state <> 'SUCCEEDED' and a.effect = 'APPLIED')
      or exists (select from attempt t where t.action_id = a.id and t.tenant_id = a.tenant_id
        and t.outcome <> 'OPEN' and t.effect = 'UNKNOWN')))`);
  expect(unmarked).toEqual([]);
  for (const table of ['event', 'attempt', 'intent', 'stage_request', 'confirm_key']) {
    const strays = await database.query(`
      select * from ${table} x
      where not exists (select from action a where a.id = x.action_id and a.tenant_id = x.tenant_id)`);
    expect(strays, table).toEqual([]);
  }
}
