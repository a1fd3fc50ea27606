import type { Action, Observed } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

/** The first moment at which a job has something to ask, in the words of the index for it. */
const dueAt = 'least(d.next_probe_at, d.verify_at)';

/**
 * Takes what is due by a column, longest overdue first, by moving its time away: what another replica is taking is left to it. Over
 * all tenants, and without a name, like the sweepers' statements. The rows are found again by their ids as an array, since a
 * join would be planned over all of `action`.
 */
function taking(column: 'next_probe_at' | 'verify_at'): Statement {
  return {
    writes: true,
    text: `
      with due as (
        select d.id, d.tenant_id from action d
        where ${dueAt} <= now() and d.${column} <= now() and d.state <> 'EXECUTING'
        order by ${dueAt} limit $1
        for no key update skip locked
      )
      update action a set ${column} = now() + $2::float8 * interval '1 millisecond'
      where a.tenant_id = any(array(select tenant_id from due)) and a.id = any(array(select id from due))
        and a.${column} <= now()
      returning ${observedColumns}`,
  };
}

const dueProbes = taking('next_probe_at');
const dueVerifications = taking('verify_at');

const probeLater: Statement = {
  name: 'action_schedule_probe',
  writes: true,
  text: `update action set next_probe_at = now() + $4::float8 * interval '1 millisecond'
    where id = $1 and tenant_id = $2 and version = $3`,
};

/** See {@link ActionStore.takeDueProbes}. */
export async function takeDueProbes(database: Database, limit: number, againInMs: number): Promise<Observed[]> {
  return (await database.run<ObservedRow>(dueProbes, [limit, againInMs])).map(observedOf);
}

/** See {@link ActionStore.takeDueVerifications}. */
export async function takeDueVerifications(database: Database, limit: number, againInMs: number): Promise<Observed[]> {
  return (await database.run<ObservedRow>(dueVerifications, [limit, againInMs])).map(observedOf);
}

/** See {@link ActionStore.scheduleProbe}. */
export async function scheduleProbe(database: Database, action: Action, inMs: number | null): Promise<void> {
  await database.run(probeLater, [action.id, action.tenantId, action.version, inMs]);
}
