import type {
  Action,
  ActionId,
  Attempt,
  AttemptOutcome,
  Observed,
  Reversible,
  Risk,
  State,
} from '../../domain/action.ts';
import { parseActionId } from '../../domain/action.ts';
import type { Effect } from '../../domain/effect.ts';
import { decidedOf, declaredOf } from './told.ts';

/**
 * An action with its attempts in one row, of `action a`: one statement, so one snapshot and one instant. The enumerations
 * need no parsing: the columns' types are made of the domain's own lists.
 */
export const observedColumns = `
  a.id, a.tenant_id, a.scope, a.user_id, a.tool, a.arguments, a.preview_digest, a.plan_id, a.summary, a.risk,
  a.reversible, a.endpoint, a.proposed_by_credential, a.proposed_by_user, a.state, a.effect, a.version,
  a.result_attempt, a.created_at, a.expires_at, a.settled_at, a.declared, a.decided, a.intent_window_ms, a.supersedes,
  a.superseded_by, a.next_probe_at, now() as at,
  (select json_agg(t order by t.number) from attempt t where t.action_id = a.id and t.tenant_id = a.tenant_id) as attempts`;

export interface ObservedRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly scope: string;
  readonly user_id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly preview_digest: string;
  readonly plan_id: string;
  readonly summary: string;
  readonly risk: Risk;
  readonly reversible: Reversible | null;
  readonly endpoint: string;
  readonly proposed_by_credential: string;
  readonly proposed_by_user: string;
  readonly state: State;
  readonly effect: Effect;
  readonly version: number;
  readonly result_attempt: number | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly settled_at: Date | null;
  readonly declared: string | null;
  readonly decided: string | null;
  readonly intent_window_ms: number;
  readonly supersedes: string | null;
  readonly superseded_by: string | null;
  readonly next_probe_at: Date | null;
  readonly at: Date;
  readonly attempts: readonly AttemptJson[] | null;
}

/** A row of `attempt` as PostgreSQL writes it in JSON. */
interface AttemptJson {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly effect: Effect;
  readonly started_at: string;
  readonly deadline_at: string;
  readonly lease_until: string;
  readonly finished_at: string | null;
  readonly confirmed_by_credential: string;
  readonly confirmed_by_user: string;
  readonly result: string | null;
  readonly error: string | null;
}

export function observedOf(row: ObservedRow): Observed {
  const action: Action = {
    id: idOf(row.id),
    tenantId: row.tenant_id,
    scope: row.scope,
    userId: row.user_id,
    tool: row.tool,
    arguments: row.arguments,
    previewDigest: row.preview_digest,
    planId: row.plan_id,
    summary: JSON.parse(row.summary),
    risk: row.risk,
    reversible: row.reversible,
    endpoint: row.endpoint,
    state: row.state,
    effect: row.effect,
    version: row.version,
    attempts: (row.attempts ?? []).map(attemptOf),
    resultAttempt: row.result_attempt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    settledAt: row.settled_at,
    proposedBy: { credentialId: row.proposed_by_credential, userId: row.proposed_by_user },
    ...declaredOf(row.declared, row.created_at),
    ...decidedOf(row.decided),
    intentWindowMs: row.intent_window_ms,
    supersedes: row.supersedes === null ? null : idOf(row.supersedes),
    supersededBy: row.superseded_by === null ? null : idOf(row.superseded_by),
    nextProbeAt: row.next_probe_at,
  };
  return { action, at: row.at };
}

/** An id out of a uuid column. */
export function idOf(text: string): ActionId {
  const id = parseActionId(text);
  if (id === undefined) throw new TypeError('the id of an action is not a UUID');
  return id;
}

function attemptOf(json: AttemptJson): Attempt {
  return {
    number: json.number,
    outcome: json.outcome,
    effect: json.effect,
    startedAt: new Date(json.started_at),
    deadlineAt: new Date(json.deadline_at),
    leaseUntil: new Date(json.lease_until),
    finishedAt: json.finished_at === null ? null : new Date(json.finished_at),
    confirmedBy: { credentialId: json.confirmed_by_credential, userId: json.confirmed_by_user },
    result: json.result,
    error: json.error === null ? null : JSON.parse(json.error),
  };
}
