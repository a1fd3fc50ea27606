import { ActionState, AttemptOutcome, Reversible, Risk, VerificationState } from '@tether/proto/tether/v1/action_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import type * as domain from '../domain/action.ts';
import type * as effect from '../domain/effect.ts';
import type { Tie } from './tie.ts';

export const stateToWire: Tie<domain.State, typeof ActionState> = {
  PENDING: ActionState.PENDING,
  EXECUTING: ActionState.EXECUTING,
  INDETERMINATE: ActionState.INDETERMINATE,
  SUCCEEDED: ActionState.SUCCEEDED,
  REFUSED: ActionState.REFUSED,
  FAILED: ActionState.FAILED,
  PRECONDITION_FAILED: ActionState.PRECONDITION_FAILED,
  REJECTED: ActionState.REJECTED,
  EXPIRED: ActionState.EXPIRED,
  SUPERSEDED: ActionState.SUPERSEDED,
};

export const effectToWire: Tie<effect.Effect, typeof Effect> = {
  NONE: Effect.NONE,
  UNKNOWN: Effect.UNKNOWN,
  APPLIED: Effect.APPLIED,
};

export const attemptOutcomeToWire: Tie<domain.AttemptOutcome, typeof AttemptOutcome> = {
  OPEN: AttemptOutcome.OPEN,
  SUCCEEDED: AttemptOutcome.SUCCEEDED,
  REFUSED: AttemptOutcome.REFUSED,
  FAILED: AttemptOutcome.FAILED,
  NO_ANSWER: AttemptOutcome.NO_ANSWER,
};

export const riskToWire: Tie<domain.Risk, typeof Risk> = {
  normal: Risk.NORMAL,
  elevated: Risk.ELEVATED,
  high: Risk.HIGH,
};

export const reversibleToWire: Tie<domain.Reversible, typeof Reversible> = {
  yes: Reversible.YES,
  no: Reversible.NO,
  external: Reversible.EXTERNAL,
};

export const verificationStateToWire: Tie<domain.VerificationState, typeof VerificationState> = {
  DUE: VerificationState.DUE,
  VERIFIED: VerificationState.VERIFIED,
  UNVERIFIED: VerificationState.UNVERIFIED,
};
