import type { Action, Attempt, Observed } from '../../domain/action.ts';
import { isTerminal, needsAttention } from '../../domain/action.ts';
import type { AttemptRecord, Change } from '../../lifecycle/ports/action-store.ts';
import type { Database, Statement } from '../database.ts';
import { decidedText } from './told.ts';

/**
 * One guarded UPDATE, with the attempts' records and the event written only for the row it changed. The condition on the
 * attempt's lease looks at `attempt` and never at `action.sweep_at`, whose index no plan for a single action may use.
 */
function moving(columns: string, recorded: string, note: string): string {
  return `
    with moved as (
      update action
      set state = $4, effect = $5, version = version + 1,
        settled_at = case when $6::boolean then now() else settled_at end,
        result_attempt = $8::smallint, needs_attention = $9::boolean,
        sweep_at = case $4::action_state when 'PENDING' then expires_at when 'EXECUTING' then sweep_at end${columns}
      where id = $1 and tenant_id = $2 and version = $3
        and ($7::text is distinct from 'expiry' or expires_at <= now())
        and ($7::text is distinct from 'lease' or exists (
          select from attempt t
          where t.action_id = $1 and t.tenant_id = $2 and t.finished_at is null and t.lease_until <= now()))
        and ($10::smallint is null or exists (
          select from attempt t
          where t.action_id = $1 and t.number = $10 and t.tenant_id = $2 and t.finished_at is null))
      returning id, tenant_id, version, preview_digest
    ), recorded as (
      ${recorded}
    ), logged as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, actor_credential,
        actor_user, attempt, preview_digest, note, at)
      select id, version, tenant_id, $11, $12, $4, $5, $13, $14, $15::smallint, preview_digest, ${note}, now() from moved
    )
    select now() as at from moved`;
}

/** A success leaves no error on its attempt; else an error or a result that is not told leaves what is there. */
function recording(outcome: string, error: string, result: string): string {
  return `error = case when ${outcome} = 'SUCCEEDED' then null else coalesce(${error}, t.error) end,
        result = coalesce(t.result, ${result}), finished_at = coalesce(t.finished_at, now())`;
}

/** For what happens most: one attempt or none, and nothing said beside it. */
const plain: Statement = {
  name: 'action_apply',
  writes: true,
  text: moving(
    '',
    `update attempt t
      set outcome = $16::attempt_outcome, effect = $17, ${recording('$16', '$18', '$19')}
      from moved
      where t.action_id = $1 and t.number = $15::smallint and t.tenant_id = $2`,
    'null',
  ),
};

/** The attempts come as five lists of equal length. */
const whole: Statement = {
  name: 'action_apply_whole',
  writes: true,
  text: moving(
    `,
        decided = $21,
        verify_at = case when $22::boolean then now() + $23::float8 * interval '1 millisecond' else verify_at end,
        next_probe_at = case when $24::boolean then now() + $25::float8 * interval '1 millisecond' else next_probe_at end`,
    `update attempt t
      set outcome = r.outcome, effect = r.effect, ${recording('r.outcome', 'r.error', 'r.result')}
      from moved, unnest($26::smallint[], $16::attempt_outcome[], $17::effect[], $18::text[], $19::text[])
        as r (number, outcome, effect, error, result)
      where t.action_id = $1 and t.number = r.number and t.tenant_id = $2`,
    '$20',
  ),
};

/** See {@link ActionStore.apply}. A result, once it is on an attempt, is never written over. */
export async function apply(database: Database, change: Change): Promise<Observed | undefined> {
  const { action, state, effect, attempts: records, due, event, actor } = change;
  const settles = isTerminal(state) && state !== action.state;
  const attempts = attemptsAfter(change);
  const resultAttempt = action.resultAttempt ?? attempts.find((each) => each.effect === 'APPLIED')?.number ?? null;
  const verification = change.verification ?? action.verification;
  const values = [
    action.id,
    action.tenantId,
    action.version,
    state,
    effect,
    settles,
    due ?? null,
    resultAttempt,
    needsAttention({ state, effect, attempts, verification }),
    openAmong(action, records),
    event,
    action.state,
    actor?.credentialId ?? null,
    actor?.userId ?? null,
    records.at(-1)?.number ?? null,
  ];
  const [row] = isPlain(change)
    ? await database.run<MovedRow>(plain, [...values, ...plainValues(records[0])])
    : await database.run<MovedRow>(whole, [...values, ...wholeValues(change)]);
  return row && { action: after(change, attempts, resultAttempt, settles, row.at), at: row.at };
}

interface MovedRow {
  readonly at: Date;
}

function isPlain(change: Change): boolean {
  const { attempts, note, rejection, resolution, verification, verifyInMs, probeInMs } = change;
  const said = note ?? rejection ?? resolution ?? verification;
  return attempts.length < 2 && said === undefined && verifyInMs === undefined && probeInMs === undefined;
}

function plainValues(record: AttemptRecord | undefined): unknown[] {
  return [record?.outcome ?? null, record?.effect ?? null, errorText(record), record?.result ?? null];
}

function wholeValues(change: Change): unknown[] {
  const { attempts, verifyInMs, probeInMs } = change;
  return [
    attempts.map(({ outcome }) => outcome),
    attempts.map(({ effect }) => effect),
    attempts.map(errorText),
    attempts.map(({ result }) => result),
    noteText(change.note),
    decidedText(decidedAfter(change)),
    verifyInMs !== undefined,
    verifyInMs ?? null,
    probeInMs !== undefined,
    probeInMs ?? null,
    attempts.map(({ number }) => number),
  ];
}

function errorText(record: AttemptRecord | undefined): string | null {
  return record?.error ? JSON.stringify(record.error) : null;
}

function noteText(note: string | undefined): string | null {
  return note ? JSON.stringify(note) : null;
}

/** Of what was said the action itself keeps only what was found to differ. */
function decidedAfter(change: Change): Pick<Action, 'note' | 'rejection' | 'resolution' | 'verification'> {
  const { action, state, note, rejection, resolution, verification } = change;
  return {
    note: state === 'PRECONDITION_FAILED' && state !== action.state ? (note ?? '') : action.note,
    rejection: rejection ?? action.rejection,
    resolution: resolution ?? action.resolution,
    verification: verification ?? action.verification,
  };
}

/** Which of the attempts must still be open in the database: the one that was when the action was read. */
function openAmong(action: Action, records: readonly AttemptRecord[]): number | null {
  const open = records.find(({ number }) => attemptOf(action, number).outcome === 'OPEN');
  return open?.number ?? null;
}

function attemptOf(action: Action, number: number): Attempt {
  const attempt = action.attempts.find((each) => each.number === number);
  if (attempt === undefined) throw new RangeError(`action ${action.id} has no attempt ${number}`);
  return attempt;
}

function attemptsAfter({ action, attempts: records }: Change): Attempt[] {
  return action.attempts.map((attempt) => {
    const record = records.find(({ number }) => number === attempt.number);
    if (record === undefined) return attempt;
    const { outcome, effect } = record;
    const error = outcome === 'SUCCEEDED' ? null : (record.error ?? attempt.error);
    return { ...attempt, outcome, effect, error, result: attempt.result ?? record.result };
  });
}

/** What the statement left behind, without asking again: the version it was guarded by says what stood there before. */
function after(
  change: Change,
  attempts: readonly Attempt[],
  resultAttempt: number | null,
  settles: boolean,
  at: Date,
): Action {
  const { action, state, effect, attempts: records, probeInMs } = change;
  const changed = new Set(records.map(({ number }) => number));
  return {
    ...action,
    state,
    effect,
    version: action.version + 1,
    attempts: attempts.map((each) =>
      changed.has(each.number) ? { ...each, finishedAt: each.finishedAt ?? at } : each,
    ),
    resultAttempt,
    settledAt: settles ? at : action.settledAt,
    ...decidedAfter(change),
    nextProbeAt: probeInMs === undefined ? action.nextProbeAt : inMs(at, probeInMs),
  };
}

function inMs(at: Date, ms: number | null): Date | null {
  return ms === null ? null : new Date(at.getTime() + ms);
}
