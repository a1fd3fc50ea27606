import type { Action, Attempt, Observed, State } from '../../domain/action.ts';
import type { Change } from '../../lifecycle/ports.ts';
import type { Database, Statement } from '../database.ts';

/**
 * One guarded UPDATE, with the attempt's record and the event written only for the row it changed. The condition on the
 * attempt's lease looks at `attempt` and never at `action.sweep_at`, whose index no plan for a single action may use.
 */
const statement: Statement = {
  name: 'action_apply',
  writes: true,
  text: `
    with moved as (
      update action
      set state = $4, effect = $5, version = version + 1,
        settled_at = case when $6::boolean then now() else settled_at end,
        result_attempt = case when $9::attempt_outcome = 'SUCCEEDED' then coalesce(result_attempt, $8::smallint) else result_attempt end,
        sweep_at = case $4::action_state when 'PENDING' then expires_at when 'EXECUTING' then sweep_at end
      where id = $1 and tenant_id = $2 and version = $3
        and ($7::text is distinct from 'expiry' or expires_at <= now())
        and ($7::text is distinct from 'lease' or exists (
          select from attempt t
          where t.action_id = $1 and t.tenant_id = $2 and t.finished_at is null and t.lease_until <= now()))
        and (not $13::boolean or exists (
          select from attempt t
          where t.action_id = $1 and t.number = $8 and t.tenant_id = $2 and t.finished_at is null))
      returning id, tenant_id, version, preview_digest
    ), recorded as (
      update attempt t
      set outcome = $9, effect = $10, error = $11, result = coalesce(t.result, $12),
        finished_at = coalesce(t.finished_at, now())
      from moved
      where t.action_id = $1 and t.number = $8 and t.tenant_id = $2
    ), logged as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, actor_credential,
        actor_user, attempt, preview_digest, at)
      select id, version, tenant_id, $14, $15, $4, $5, $16, $17, $8, preview_digest, now() from moved
    )
    select now() as at from moved`,
};

const terminal: Readonly<Record<State, boolean>> = {
  PENDING: false,
  EXECUTING: false,
  INDETERMINATE: false,
  SUCCEEDED: true,
  REFUSED: true,
  FAILED: true,
  EXPIRED: true,
};

/** See {@link ActionStore.apply}. A result, once it is on an attempt, is never written over. */
export async function apply(database: Database, change: Change): Promise<Observed | undefined> {
  const { action, state, effect, attempt, due, event, actor } = change;
  const settles = terminal[state] && state !== action.state;
  const before = attempt && attemptOf(action, attempt.number);
  const rows = await database.run<{ at: Date }>(statement, [
    action.id,
    action.tenantId,
    action.version,
    state,
    effect,
    settles,
    due ?? null,
    attempt?.number ?? null,
    attempt?.outcome ?? null,
    attempt?.effect ?? null,
    attempt?.error ? JSON.stringify(attempt.error) : null,
    attempt?.result ?? null,
    before?.outcome === 'OPEN',
    event,
    action.state,
    actor?.credentialId ?? null,
    actor?.userId ?? null,
  ]);
  const [row] = rows;
  return row && { action: after(change, settles, row.at), at: row.at };
}

function attemptOf(action: Action, number: number): Attempt {
  const attempt = action.attempts.find((each) => each.number === number);
  if (attempt === undefined) throw new RangeError(`action ${action.id} has no attempt ${number}`);
  return attempt;
}

/** What the statement left behind, without asking again: the version it was guarded by says what stood there before. */
function after({ action, state, effect, attempt: change }: Change, settles: boolean, at: Date): Action {
  const attempts = action.attempts.map((attempt) => {
    if (attempt.number !== change?.number) return attempt;
    const { outcome, effect, error } = change;
    const result = attempt.result ?? change.result;
    return { ...attempt, outcome, effect, error, result, finishedAt: attempt.finishedAt ?? at };
  });
  return {
    ...action,
    state,
    effect,
    version: action.version + 1,
    attempts,
    resultAttempt: action.resultAttempt ?? (change?.outcome === 'SUCCEEDED' ? change.number : null),
    settledAt: settles ? at : action.settledAt,
  };
}
