import type { Effect } from './effect.ts';
import type { ActionableError } from './error.ts';

export { type Effect, effects } from './effect.ts';

/** UUID in its canonical spelling; also the idempotency key of every attempt (there as 32 hex digits). */
export type ActionId = string & { readonly [brand]: 'ActionId' };
declare const brand: unique symbol;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads an id in any letter case; undefined when it is no UUID. */
export function parseActionId(text: string): ActionId | undefined {
  const lower = text.toLowerCase();
  return uuid.test(lower) ? (lower as ActionId) : undefined;
}

/** Where an action stands (DESIGN §2). */
export const states = [
  'PENDING',
  'EXECUTING',
  'INDETERMINATE',
  'SUCCEEDED',
  'REFUSED',
  'FAILED',
  'PRECONDITION_FAILED',
  'REJECTED',
  'EXPIRED',
  'SUPERSEDED',
] as const;
export type State = (typeof states)[number];

const terminal: Readonly<Record<State, boolean>> = {
  PENDING: false,
  EXECUTING: false,
  INDETERMINATE: false,
  SUCCEEDED: true,
  REFUSED: true,
  FAILED: true,
  PRECONDITION_FAILED: true,
  REJECTED: true,
  EXPIRED: true,
  SUPERSEDED: true,
};

/** Whether it has ended: the state never changes again, but for a late success (DESIGN §2, rule 3). */
export function isTerminal(state: State): boolean {
  return terminal[state];
}

/** How an attempt ended; OPEN until anything is recorded. */
export const attemptOutcomes = ['OPEN', 'SUCCEEDED', 'REFUSED', 'FAILED', 'NO_ANSWER'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

export const risks = ['normal', 'elevated', 'high'] as const;
export type Risk = (typeof risks)[number];

export const reversibles = ['yes', 'no', 'external'] as const;
export type Reversible = (typeof reversibles)[number];

/** Dispatches in an action's life (DESIGN §1). */
export const attemptsAllowed = 3;

/** Whether a write that succeeded was seen to have happened (DESIGN §2.2 step 11). */
export const verificationStates = ['DUE', 'VERIFIED', 'UNVERIFIED'] as const;
export type VerificationState = (typeof verificationStates)[number];

export interface Verification {
  readonly state: VerificationState;
  /** Empty while it is due. */
  readonly reason: string;
  readonly at: Date | null;
}

/** What the write is worth, by the tool's declaration when it was staged. */
export interface DeclaredValue {
  /** JSON text of the number; null when it could not be read as one. */
  readonly amountJson: string | null;
  readonly threshold: number;
  /** May be empty. */
  readonly unit: string;
}

/** What a person said about a doubt. */
export interface Resolution {
  readonly landed: boolean;
  readonly by: Actor;
}

/** Who did something; always from a credential, never from a request. */
export interface Actor {
  readonly credentialId: string;
  readonly userId: string;
}

/** One dispatch of an action. Times are the database's. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly effect: Effect;
  readonly startedAt: Date;
  /** The endpoint must refuse the write from then on: the claim plus the timeout, fixed at the claim (rule 7). */
  readonly deadlineAt: Date;
  /** From then on an open attempt is an orphan: the deadline plus 30 s. */
  readonly leaseUntil: Date;
  readonly finishedAt: Date | null;
  readonly confirmedBy: Actor;
  /** The endpoint's answer as it was sent; only of a success. */
  readonly result: string | null;
  readonly error: ActionableError | null;
}

/** One staged write, from proposal to outcome. */
export interface Action {
  readonly id: ActionId;
  readonly tenantId: string;
  /** Empty when the tenant has no parts. */
  readonly scope: string;
  /** On whose behalf; empty when nobody was named. */
  readonly userId: string;
  readonly tool: string;
  /** RFC 8785 text. */
  readonly arguments: string;
  readonly previewDigest: string;
  readonly planId: string;
  readonly summary: string;
  readonly risk: Risk;
  readonly reversible: Reversible | null;
  /** The endpoint's name in the catalog, when it was staged. */
  readonly endpoint: string;
  readonly state: State;
  readonly effect: Effect;
  /** Counts transitions from 1; the optimistic lock. */
  readonly version: number;
  readonly attempts: readonly Attempt[];
  /** The attempt whose result is the action's: that of the first success recorded. */
  readonly resultAttempt: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly settledAt: Date | null;
  readonly proposedBy: Actor;
  /** Null when the tool declares none. */
  readonly value: DeclaredValue | null;
  /** Whether the approver must be somebody else than who proposed or amended it, when it was staged. */
  readonly fourEyes: boolean;
  /** What the precondition's read answered when it was staged: RFC 8785 text of it, or of its declared fields by JSON Pointer. */
  readonly precondition: string | null;
  /** How long the intent is held after a settlement, by the tool's declaration when it was staged; 0 when it declares none. */
  readonly intentWindowMs: number;
  readonly verification: Verification | null;
  /** The newest word of a person about a doubt. */
  readonly resolution: Resolution | null;
  readonly rejection: { readonly reason: string; readonly by: Actor } | null;
  /** What was found to differ, when it is PRECONDITION_FAILED; empty otherwise. */
  readonly note: string;
  readonly supersedes: ActionId | null;
  readonly supersededBy: ActionId | null;
  /** Who amended another action into this one. */
  readonly amendedBy: Actor | null;
  /** Its place in its plan: when the first of its line of amendments was staged. */
  readonly placedAt: Date;
  /** When the endpoint is asked about the doubt by itself; null when it is not. */
  readonly nextProbeAt: Date | null;
}

/** An action as it was at one instant of the database's clock. */
export interface Observed {
  readonly action: Action;
  readonly at: Date;
}

export function isPastExpiry({ action, at }: Observed): boolean {
  return action.expiresAt <= at;
}

export function newestAttempt(action: Action): Attempt | undefined {
  return action.attempts.at(-1);
}

/** The stored result of the first successful execution, byte for byte; null when there is none. */
export function resultOf(action: Action): string | null {
  return action.attempts.find((attempt) => attempt.number === action.resultAttempt)?.result ?? null;
}

/** In doubt: an attempt may have left something behind, and nobody knows (DESIGN §2). */
export function inDoubt(action: Pick<Action, 'state' | 'effect'>): boolean {
  return action.state !== 'EXECUTING' && action.effect === 'UNKNOWN';
}

/** The ended attempts of which nobody knows what they left behind; there may be some beside a success. */
export function attemptsInDoubt<A extends Pick<Attempt, 'outcome' | 'effect'>>(attempts: readonly A[]): A[] {
  return attempts.filter(({ outcome, effect }) => outcome !== 'OPEN' && effect === 'UNKNOWN');
}

/** Whether a person should look at it (DESIGN §2). */
export function needsAttention(action: Pick<Action, 'state' | 'effect' | 'attempts' | 'verification'>): boolean {
  if (action.state === 'EXECUTING') return false;
  if (action.state === 'INDETERMINATE' || action.verification?.state === 'UNVERIFIED') return true;
  if (attemptsInDoubt(action.attempts).length > 0) return true;
  return action.state !== 'SUCCEEDED' && action.effect === 'APPLIED';
}
