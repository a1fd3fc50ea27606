import type * as wire from '@tether/proto/clients/tether/v1/action_pb.ts';
import type { JsonValue } from '../json/json-number.ts';
import type { ActionableError } from '../tether-error.ts';
import type { ActionState, AttemptOutcome, Effect, Reversible, Risk, VerificationState } from './enums.ts';
import { actionState, attemptOutcome, effectOf, reversible, risk, verificationState } from './enums.ts';
import { errorFromWire, jsonIf } from './error.ts';
import { dateIf, dateOf } from './time.ts';

/** Who did something: always taken from the credential. */
export interface Actor {
  readonly credentialId: string;
  readonly userId: string;
}

/** What a write is worth, by the tool's declared `value`. */
export interface DeclaredValue {
  /** As it stands in the arguments; not there when it could not be read as a number. */
  readonly amount?: JsonValue;
  /** From this amount on a confirm must be acknowledged. */
  readonly threshold: JsonValue;
  /** What the amount counts, for instance `USD`. */
  readonly unit: string;
}

/** Whether a write that succeeded was seen to have happened. */
export interface Verification {
  readonly state: VerificationState;
  /** Why, in a sentence; empty while it is due. */
  readonly reason: string;
  readonly verifiedAt?: Date;
}

/** One dispatch of an action to its endpoint. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly outcome: AttemptOutcome;
  /** What this attempt may have left behind; UNKNOWN while it is open. */
  readonly effect: Effect;
  readonly error?: ActionableError;
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  /** The endpoint was told to refuse the write from then on. */
  readonly deadlineAt: Date;
}

/** One staged write, from proposal to outcome. `state` and `effect` are independent, and both are always told. */
export interface Action {
  readonly id: string;
  readonly tenantId: string;
  /** The part of the tenant; empty when it has no parts. */
  readonly scope: string;
  /** On whose behalf; empty when none was named. */
  readonly userId: string;
  readonly tool: string;
  /** The arguments; `argumentsJson` is the text that is shown, digested and dispatched, byte for byte. */
  readonly arguments: JsonValue;
  readonly argumentsJson: string;
  /** What a person confirms: `sha256:` and 64 hex digits. */
  readonly previewDigest: string;
  readonly planId: string;
  /** One line for the person who decides. */
  readonly summary: string;
  readonly risk: Risk;
  /** UNSPECIFIED when the catalog does not say. */
  readonly reversible: Reversible;
  readonly value?: DeclaredValue;
  /** Whether a confirm must carry `acknowledgeHighRisk`, and why. */
  readonly acknowledgementRequired: boolean;
  readonly acknowledgementReasons: readonly string[];
  /** Whether whoever confirms must be somebody else than who proposed or amended it. */
  readonly secondPersonRequired: boolean;
  readonly state: ActionState;
  readonly effect: Effect;
  /** A person should look. */
  readonly needsAttention: boolean;
  /** Counts transitions, from 1. */
  readonly version: number;
  readonly attemptsUsed: number;
  readonly attemptsAllowed: number;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** The endpoint's answer of the first successful execution; `resultJson` is it byte for byte. Not there when there is none. */
  readonly result?: JsonValue;
  readonly resultJson?: string;
  /** Why it is not SUCCEEDED, where there is more to say than its state. */
  readonly error?: ActionableError;
  /** The precondition's answer when it was staged. */
  readonly precondition?: JsonValue;
  readonly verification?: Verification;
  /** What the person said who rejected it. */
  readonly rejectionReason?: string;
  readonly proposedBy: Actor;
  readonly confirmedBy?: Actor;
  readonly rejectedBy?: Actor;
  readonly amendedBy?: Actor;
  /** The id of the action that this one amends. */
  readonly supersedes?: string;
  /** The id of the action that amended this one. */
  readonly supersededBy?: string;
  readonly createdAt: Date;
  /** From then on it can no longer be confirmed. */
  readonly expiresAt: Date;
  /** When the newest attempt was claimed. */
  readonly claimedAt?: Date;
  /** When it reached its present terminal state. */
  readonly settledAt?: Date;
  /** Its place in its plan. */
  readonly placedAt: Date;
}

export function actionFromWire(action: wire.Action): Action {
  return {
    id: action.id,
    tenantId: action.tenantId,
    scope: action.scope,
    userId: action.userId,
    tool: action.tool,
    arguments: jsonIf(action.argumentsJson) ?? null,
    argumentsJson: action.argumentsJson,
    previewDigest: action.previewDigest,
    planId: action.planId,
    summary: action.summary,
    risk: risk(action.risk),
    reversible: reversible(action.reversible),
    value: action.value && valueFromWire(action.value),
    acknowledgementRequired: action.acknowledgementRequired,
    acknowledgementReasons: action.acknowledgementReasons,
    secondPersonRequired: action.secondPersonRequired,
    state: actionState(action.state),
    effect: effectOf(action.effect),
    needsAttention: action.needsAttention,
    version: Number(action.version),
    attemptsUsed: action.attemptsUsed,
    attemptsAllowed: action.attemptsAllowed,
    attempts: action.attempts.map(attemptFromWire),
    result: jsonIf(action.resultJson),
    resultJson: action.resultJson || undefined,
    error: action.error && errorFromWire(action.error),
    precondition: jsonIf(action.preconditionJson),
    verification: action.verification && verificationFromWire(action.verification),
    rejectionReason: action.rejectionReason || undefined,
    proposedBy: action.proposedBy === undefined ? { credentialId: '', userId: '' } : actorFromWire(action.proposedBy),
    confirmedBy: action.confirmedBy && actorFromWire(action.confirmedBy),
    rejectedBy: action.rejectedBy && actorFromWire(action.rejectedBy),
    amendedBy: action.amendedBy && actorFromWire(action.amendedBy),
    supersedes: action.supersedes || undefined,
    supersededBy: action.supersededBy || undefined,
    createdAt: dateOf(action.createdAt),
    expiresAt: dateOf(action.expiresAt),
    claimedAt: dateIf(action.claimedAt),
    settledAt: dateIf(action.settledAt),
    placedAt: dateOf(action.placedAt),
  };
}

/** The action that an answer always has. */
export function actionOf(answer: { readonly action?: wire.Action }): Action {
  if (answer.action === undefined) throw new TypeError('the answer has no action');
  return actionFromWire(answer.action);
}

export function actorFromWire({ credentialId, userId }: wire.Actor): Actor {
  return { credentialId, userId };
}

function valueFromWire({ amountJson, thresholdJson, unit }: wire.DeclaredValue): DeclaredValue {
  return { amount: jsonIf(amountJson), threshold: jsonIf(thresholdJson) ?? null, unit };
}

function verificationFromWire({ state, reason, verifiedAt }: wire.Verification): Verification {
  return { state: verificationState(state), reason, verifiedAt: dateIf(verifiedAt) };
}

function attemptFromWire(attempt: wire.Attempt): Attempt {
  return {
    number: attempt.number,
    outcome: attemptOutcome(attempt.outcome),
    effect: effectOf(attempt.effect),
    error: attempt.error && errorFromWire(attempt.error),
    startedAt: dateOf(attempt.startedAt),
    finishedAt: dateIf(attempt.finishedAt),
    deadlineAt: dateOf(attempt.deadlineAt),
  };
}
