import type { Action, ActionId, Observed } from '../../domain/action.ts';
import type { NewAction } from '../../lifecycle/ports/action-store.ts';
import { declaredText } from './told.ts';

/**
 * The end of a statement that brings a new action, whose beginning gets the intent's row as `held`. Whoever gets that writes
 * everything else, in the same statement; a known request id undoes all of it. `supersedes` is the
 * parameter that names the action whose place it takes.
 */
export function withAction(held: string, supersedes = 'null::uuid'): string {
  return `
    with ${held}, staged as (
      insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk,
        reversible, endpoint, proposed_by_credential, proposed_by_user, intent_hash, state, effect, version,
        created_at, expires_at, sweep_at, declared, intent_window_ms, supersedes)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, $15, $16, 'PENDING', 'NONE', 1,
        now(), now() + $13::float8 * interval '1 millisecond', now() + $13::float8 * interval '1 millisecond',
        $20, $21::float8, ${supersedes}
      from held
      returning created_at, expires_at
    ), requested as (
      insert into stage_request (request_id, credential_id, tenant_id, action_id)
      select $17, $18, $2, $1 from held where $17::text is not null
    ), logged as (
      insert into event (action_id, version, tenant_id, type, to_state, effect, actor_credential, actor_user,
        preview_digest, at)
      select $1, 1, $2, 'STAGED', 'PENDING', 'NONE', $18, $19, $7, now() from held
    )
    select created_at, expires_at from staged`;
}

export function valuesOf(action: NewAction): unknown[] {
  return [
    action.id,
    action.tenantId,
    action.scope,
    action.userId,
    action.tool,
    action.arguments,
    action.previewDigest,
    action.planId,
    JSON.stringify(action.summary),
    action.risk,
    action.reversible,
    action.endpoint,
    action.ttlMs,
    action.proposedBy.credentialId,
    action.proposedBy.userId,
    action.intentHash,
    action.requestId,
    action.requestedBy.credentialId,
    action.requestedBy.userId,
    declaredText(action),
    action.intentWindowMs,
  ];
}

export interface StagedRow {
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** What the statement left behind, without asking again. */
export function stagedOf(from: NewAction, row: StagedRow, supersedes: ActionId | null): Observed {
  const { ttlMs: _ttl, intentHash: _hash, requestId: _request, requestedBy: _by, ...proposal } = from;
  const action: Action = {
    ...proposal,
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    attempts: [],
    resultAttempt: null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    settledAt: null,
    verification: null,
    resolution: null,
    rejection: null,
    note: '',
    supersedes,
    supersededBy: null,
    placedAt: from.placedAt ?? row.created_at,
    nextProbeAt: null,
  };
  return { action, at: row.created_at };
}
