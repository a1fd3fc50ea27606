/** Time passes by moving what is recorded into the past, all of a row together; nobody waits. */
import type { ActionId } from '../../server/domain/action.ts';
import type { TestDatabase } from '../support/database.ts';

/** The action's expiry was a second ago. */
export async function passExpiry({ query }: TestDatabase, id: ActionId): Promise<void> {
  await query(
    `update action a set created_at = created_at - shift, expires_at = expires_at - shift,
       sweep_at = case when state = 'PENDING' then expires_at - shift else sweep_at end
     from (select id, expires_at - now() + interval '1 second' as shift from action where id = $1) s
     where a.id = s.id and shift > interval '0'`,
    [id],
  );
}

/** What may have passed of an attempt: 10 s since its claim, its deadline, its lease. */
export type Moment = 'ten seconds' | 'deadline' | 'lease';

const moments: Record<Moment, string> = {
  'ten seconds': `started_at + interval '10 seconds'`,
  deadline: 'deadline_at',
  lease: 'lease_until',
};

/** The moment was a second ago. */
export async function passMoment(
  { query }: TestDatabase,
  id: ActionId,
  attempt: number,
  moment: Moment,
): Promise<void> {
  await query(
    `with shifted as (
       update attempt t set started_at = started_at - shift, deadline_at = deadline_at - shift,
         lease_until = lease_until - shift
       from (select action_id, number, ${moments[moment]} - now() + interval '1 second' as shift
         from attempt where action_id = $1 and number = $2) s
       where t.action_id = s.action_id and t.number = s.number and shift > interval '0'
       returning t.action_id, t.lease_until, t.finished_at)
     update action a set sweep_at = shifted.lease_until from shifted
     where a.id = shifted.action_id and shifted.finished_at is null`,
    [id, attempt],
  );
}
