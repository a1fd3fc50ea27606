import type { Action, Attempt } from '../../domain/action.ts';
import type { StopKind } from '../../domain/stop.ts';
import type { Claim, Claimed } from '../../lifecycle/ports/action-store.ts';
import type { Database, Statement } from '../database.ts';
import { violatedUnique } from '../errors.ts';

/** From the deadline on an answer may still come; this much later an open attempt is an orphan (rule 7), milliseconds. */
const leaseBeyondDeadlineMs = 30_000;

/** By the key of the stop, each for itself: a join of the three would be planned over whole tables. */
function notStopped(kind: StopKind, name: string): string {
  return `not exists (select from stop s where s.name = ${name} and s.kind = '${kind}' and s.tenant_id = $2)`;
}

/**
 * One conditional UPDATE decides (rule 2); what hangs on it is written only for the row it changed, in the same
 * transaction. It finds no row either while an operator stopped what it needs. A key that belongs to another action violates its index, which undoes all of it.
 *
 * It waits for the disk also where the database's or the role's settings say that commits need not: a claim that a crash of the
 * database took back would be made again, and its call too.
 */
const statement: Statement = {
  name: 'action_claim',
  writes: true,
  text: `
    with claimed as (
      update action
      set state = 'EXECUTING', effect = 'UNKNOWN', version = version + 1, needs_attention = false, next_probe_at = null,
        sweep_at = now() + ($5::float8 + ${leaseBeyondDeadlineMs}) * interval '1 millisecond'
      where id = $1 and tenant_id = $2 and version = $3 and state = $4 and state in ('PENDING', 'INDETERMINATE')
        and expires_at > now()
        and ${notStopped('TOOL', '$10')} and ${notStopped('ENDPOINT', '$11')}
        and ${notStopped('TENANT', "''")}
      returning id, tenant_id, version, preview_digest
    ), opened as (
      insert into attempt (action_id, number, tenant_id, outcome, effect, started_at, deadline_at, lease_until,
        confirmed_by_credential, confirmed_by_user)
      select id, $6::smallint, tenant_id, 'OPEN', 'UNKNOWN', now(), now() + $5::float8 * interval '1 millisecond',
        now() + ($5::float8 + ${leaseBeyondDeadlineMs}) * interval '1 millisecond', $7::text, $8::text
      from claimed
      returning started_at, deadline_at, lease_until
    ), keyed as (
      insert into confirm_key (idempotency_key, user_id, tenant_id, action_id)
      select $9::text, $8::text, tenant_id, id from claimed
      where $9::text is not null and id is distinct from (
        select k.action_id from confirm_key k
        where k.idempotency_key = $9 and k.user_id = $8 and k.tenant_id = $2)
    ), logged as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, actor_credential,
        actor_user, attempt, preview_digest, at)
      select id, version, tenant_id, 'CLAIMED', $4, 'EXECUTING', 'UNKNOWN', $7, $8, $6, preview_digest, now()
      from claimed
    )
    select started_at, deadline_at, lease_until,
      case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', true) end
    from opened`,
};

interface OpenedRow {
  readonly started_at: Date;
  readonly deadline_at: Date;
  readonly lease_until: Date;
}

/** See {@link ActionStore.claim}. */
export async function claim(database: Database, asked: Claim): Promise<Claimed> {
  const { action, approver, idempotencyKey, timeoutMs } = asked;
  const number = action.attempts.length + 1;
  const { credentialId, userId } = approver;
  const guard = [action.id, action.tenantId, action.version, action.state];
  const values = [...guard, timeoutMs, number, credentialId, userId, idempotencyKey, action.tool, action.endpoint];
  try {
    const [row] = await database.run<OpenedRow>(statement, values);
    return row ? claimed(asked, number, row) : { kind: 'lost' };
  } catch (error) {
    const violated = violatedUnique(error);
    if (violated === 'confirm_key_pkey') return { kind: 'key-reused' };
    if (violated === 'attempt_open_unique') return { kind: 'lost' };
    throw error;
  }
}

function claimed({ action: before, approver }: Claim, number: number, row: OpenedRow): Claimed {
  const attempt: Attempt = {
    number,
    outcome: 'OPEN',
    effect: 'UNKNOWN',
    startedAt: row.started_at,
    deadlineAt: row.deadline_at,
    leaseUntil: row.lease_until,
    finishedAt: null,
    confirmedBy: approver,
    result: null,
    error: null,
  };
  const action: Action = {
    ...before,
    state: 'EXECUTING',
    effect: 'UNKNOWN',
    version: before.version + 1,
    attempts: [...before.attempts, attempt],
    nextProbeAt: null,
  };
  return { kind: 'claimed', action, attempt };
}
