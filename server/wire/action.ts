import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  Action as WireAction,
  Attempt as WireAttempt,
  DeclaredValue as WireDeclaredValue,
  Verification as WireVerification,
} from '@tether/proto/tether/v1/action_pb.ts';
import {
  ActionSchema,
  AttemptSchema,
  DeclaredValueSchema,
  VerificationSchema,
} from '@tether/proto/tether/v1/action_pb.ts';
import type { Action, Attempt, DeclaredValue, Verification } from '../domain/action.ts';
import { attemptsAllowed, needsAttention, newestAttempt, resultOf } from '../domain/action.ts';
import type { ActionableError } from '../domain/error.ts';
import { acknowledgementReasons } from '../domain/guard.ts';
import { shown } from '../domain/preview.ts';
import {
  attemptOutcomeToWire,
  effectToWire,
  reversibleToWire,
  riskToWire,
  stateToWire,
  verificationStateToWire,
} from './enums.ts';
import { errorToWire } from './error.ts';

/** An action as it travels, to callers and to an authorizer; `error` is why it is not SUCCEEDED (`errorOf`). */
export function actionToWire(action: Action, error: ActionableError | null): WireAction {
  const newest = newestAttempt(action);
  const reasons = acknowledgementReasons(action);
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
    value: action.value === null ? undefined : valueToWire(action.value),
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
    preconditionJson: action.precondition ?? undefined,
    verification: action.verification === null ? undefined : verificationToWire(action.verification),
    needsAttention: needsAttention(action),
    createdAt: timestampFromDate(action.createdAt),
    expiresAt: timestampFromDate(action.expiresAt),
    claimedAt: newest && timestampFromDate(newest.startedAt),
    settledAt: action.settledAt === null ? undefined : timestampFromDate(action.settledAt),
    proposedBy: action.proposedBy,
    confirmedBy: newest?.confirmedBy,
    supersedes: action.supersedes ?? undefined,
    supersededBy: action.supersededBy ?? undefined,
    rejectionReason: action.rejection?.reason,
    rejectedBy: action.rejection?.by,
    placedAt: timestampFromDate(action.placedAt),
    amendedBy: action.amendedBy ?? undefined,
    secondPersonRequired: action.fourEyes,
  });
}

function valueToWire({ amountJson, threshold, unit }: DeclaredValue): WireDeclaredValue {
  return create(DeclaredValueSchema, {
    amountJson: amountJson ?? undefined,
    thresholdJson: JSON.stringify(threshold),
    unit,
  });
}

function verificationToWire({ state, reason, at }: Verification): WireVerification {
  return create(VerificationSchema, {
    state: verificationStateToWire[state],
    reason,
    verifiedAt: at === null ? undefined : timestampFromDate(at),
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
