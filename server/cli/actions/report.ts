import type { Action, ActionFilter } from '@tether/client';
import { shown } from '../../domain/preview.ts';
import { faultJson } from '../fault.ts';

/** An action as `--json` prints it: the contract's names, JSON as the text that was sent; what is not there is null. */
export function actionJson(action: Action): Readonly<Record<string, unknown>> {
  return {
    id: action.id,
    tenant_id: action.tenantId,
    scope: action.scope,
    user_id: action.userId,
    tool: action.tool,
    arguments_json: action.argumentsJson,
    summary: action.summary,
    preview_digest: action.previewDigest,
    plan_id: action.planId,
    risk: action.risk,
    reversible: action.reversible,
    acknowledgement_required: action.acknowledgementRequired,
    acknowledgement_reasons: action.acknowledgementReasons,
    second_person_required: action.secondPersonRequired,
    state: action.state,
    effect: action.effect,
    needs_attention: action.needsAttention,
    version: action.version,
    attempts_used: action.attemptsUsed,
    attempts_allowed: action.attemptsAllowed,
    result_json: action.resultJson ?? null,
    error: action.error === undefined ? null : faultJson(action.error),
    rejection_reason: action.rejectionReason ?? null,
    verification: action.verification?.state ?? null,
    proposed_by: action.proposedBy.userId,
    confirmed_by: action.confirmedBy?.userId ?? null,
    supersedes: action.supersedes ?? null,
    superseded_by: action.supersededBy ?? null,
    created_at: action.createdAt,
    expires_at: action.expiresAt,
    settled_at: action.settledAt ?? null,
  };
}

/** One line for a person. */
export function actionLine(action: Action): string {
  const { id, state, effect, tool, summary, expiresAt, needsAttention } = action;
  const doubt = effect === 'UNKNOWN' && state !== 'EXECUTING' ? ', in doubt' : '';
  const attention = needsAttention ? ', needs attention' : '';
  const until = state === 'PENDING' ? `, until ${expiresAt.toISOString()}` : '';
  return `${id}  ${state.padEnd(13)}  ${shown(tool)}: ${shown(summary)}${doubt}${attention}${until}\n`;
}

/** That the list is empty, in words of what was asked for. */
export function noneText({ states = [], needsAttention, tool, planId, userId, scope }: ActionFilter): string {
  const asked = [
    states.length > 0 && `in state ${states.join(' or ')}`,
    needsAttention && 'that needs a person',
    tool !== undefined && `of tool ${shown(tool)}`,
    planId !== undefined && `of plan ${shown(planId)}`,
    userId !== undefined && `on behalf of ${shown(userId)}`,
    scope !== undefined && `in scope ${shown(scope)}`,
  ].filter((each) => typeof each === 'string');
  return asked.length === 0 ? 'There are no actions.\n' : `There is no action ${asked.join(', ')}.\n`;
}

/** All that a person needs to decide, with what cannot be seen or moves text escaped. */
export function actionText(action: Action): string {
  const rows: (readonly [string, string | undefined])[] = [
    ['action', action.id],
    ['tool', action.tool],
    ['summary', action.summary],
    ['arguments', action.argumentsJson],
    ['digest', action.previewDigest],
    ['state', `${action.state}, effect ${action.effect}${action.needsAttention ? ', needs attention' : ''}`],
    ['risk', `${action.risk}${action.reversible === 'UNSPECIFIED' ? '' : `, reversible: ${action.reversible}`}`],
    ['acknowledge', action.acknowledgementReasons.join('; ') || undefined],
    ['second person', action.secondPersonRequired ? 'required' : undefined],
    ['scope', action.scope || undefined],
    ['on behalf of', action.userId || undefined],
    ['proposed by', action.proposedBy.userId],
    ['confirmed by', action.confirmedBy?.userId],
    ['attempts', `${action.attemptsUsed} of ${action.attemptsAllowed}`],
    ['expires', action.expiresAt.toISOString()],
    ['settled', action.settledAt?.toISOString()],
    ['result', action.resultJson],
    ['rejected', action.rejectionReason],
    ['error', action.error && `${action.error.code}: ${action.error.message}`],
  ];
  return rows
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(14)} ${shown(value)}\n`]))
    .join('');
}
