import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Action as WireAction, Attempt as WireAttempt } from '@tether/proto/tether/v1/action_pb.ts';
import { ActionSchema, AttemptSchema } from '@tether/proto/tether/v1/action_pb.ts';
import type { Action, Attempt } from '../../domain/action.ts';
import { attemptsAllowed, needsAttention, newestAttempt, resultOf } from '../../domain/action.ts';
import type { ActionableError } from '../../domain/error.ts';
import { acknowledgementReasons } from '../../domain/guard.ts';
import { shown } from '../../domain/preview.ts';
import { attemptOutcomeToWire, effectToWire, reversibleToWire, riskToWire, stateToWire } from './enums.ts';
import { errorToWire } from './error.ts';

/** An action as it travels; `error` is why it is not SUCCEEDED, which the lifecycle knows. */
export function actionToWire(action: Action, error: ActionableError | null): WireAction {
  const newest = newestAttempt(action);
  const reasons = acknowledgementReasons(action.risk);
  return create(ActionSchema, {
    id: action.id,
    tenantId: action.tenantId,
    scope: action.scope,
    userId: action.userId,
    tool: action.tool,
    argumentsJson: action.arguments,
    previewDigest: action.previewDigest,
    planId: action.planId,
    summary: shown(action.summary),
    risk: riskToWire[action.risk],
    reversible: action.reversible === null ? undefined : reversibleToWire[action.reversible],
    acknowledgementRequired: reasons.length > 0,
    acknowledgementReasons: [...reasons],
    state: stateToWire[action.state],
    effect: effectToWire[action.effect],
    version: BigInt(action.version),
    attemptsUsed: action.attempts.length,
    attemptsAllowed,
    attempts: action.attempts.map(attemptToWire),
    resultJson: resultOf(action) ?? undefined,
    error: error === null ? undefined : errorToWire(error),
    needsAttention: needsAttention(action),
    createdAt: timestampFromDate(action.createdAt),
    expiresAt: timestampFromDate(action.expiresAt),
    claimedAt: newest && timestampFromDate(newest.startedAt),
    settledAt: action.settledAt === null ? undefined : timestampFromDate(action.settledAt),
    proposedBy: action.proposedBy,
    confirmedBy: newest?.confirmedBy,
  });
}

function attemptToWire(attempt: Attempt): WireAttempt {
  return create(AttemptSchema, {
    number: attempt.number,
    startedAt: timestampFromDate(attempt.startedAt),
    finishedAt: attempt.finishedAt === null ? undefined : timestampFromDate(attempt.finishedAt),
    outcome: attemptOutcomeToWire[attempt.outcome],
    effect: effectToWire[attempt.effect],
    error: attempt.error === null ? undefined : errorToWire(attempt.error),
    deadlineAt: timestampFromDate(attempt.deadlineAt),
  });
}
