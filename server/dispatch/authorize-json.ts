import type { Action, Actor, Attempt, DeclaredValue } from '../domain/action.ts';
import { attemptsAllowed, needsAttention } from '../domain/action.ts';
import { acknowledgementReasons } from '../domain/guard.ts';
import { shown } from '../domain/preview.ts';
import type { Petition } from './transport.ts';

/**
 * What an authorizer is asked in plain JSON: `{"action": {…}, "approver": {…}}`. The members are those of the `Action` message
 * that mean something while it waits, with JSON as JSON instead of text in `…_json`; every one is always there, null or empty
 * when there is nothing to say.
 */
export function authorizeJson({ observed: { action }, approver }: Petition): string {
  return `{"action":${actionJson(action)},"approver":${JSON.stringify(actorJson(approver))}}`;
}

/** What is JSON already goes out as the text that it is stored as. */
function actionJson(action: Action): string {
  const reasons = acknowledgementReasons(action);
  const members = JSON.stringify({
    tenant_id: action.tenantId,
    scope: action.scope,
    user_id: action.userId,
    preview_digest: action.previewDigest,
    plan_id: action.planId,
    summary: shown(action.summary),
    risk: action.risk,
    reversible: action.reversible,
    acknowledgement_required: reasons.length > 0,
    acknowledgement_reasons: reasons,
    state: action.state,
    effect: action.effect,
    version: action.version,
    attempts_used: action.attempts.length,
    attempts_allowed: attemptsAllowed,
    attempts: action.attempts.map(attemptJson),
    needs_attention: needsAttention(action),
    created_at: action.createdAt,
    expires_at: action.expiresAt,
    placed_at: action.placedAt,
    proposed_by: actorJson(action.proposedBy),
    amended_by: action.amendedBy && actorJson(action.amendedBy),
    supersedes: action.supersedes,
    second_person_required: action.fourEyes,
  });
  return (
    `{"id":${JSON.stringify(action.id)},"tool":${JSON.stringify(action.tool)},"arguments":${action.arguments},` +
    `"value":${valueJson(action.value)},"precondition":${action.precondition ?? 'null'},${members.slice(1)}`
  );
}

function valueJson(value: DeclaredValue | null): string {
  if (value === null) return 'null';
  const { amountJson, threshold, unit } = value;
  return `{"amount":${amountJson ?? 'null'},"threshold":${threshold},"unit":${JSON.stringify(unit)}}`;
}

function attemptJson({ number, outcome, effect, startedAt, finishedAt, deadlineAt }: Attempt) {
  return { number, outcome, effect, started_at: startedAt, finished_at: finishedAt, deadline_at: deadlineAt };
}

function actorJson({ credentialId, userId }: Actor) {
  return { credential_id: credentialId, user_id: userId };
}
