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
export const states = ['PENDING', 'EXECUTING', 'INDETERMINATE', 'SUCCEEDED', 'REFUSED', 'FAILED', 'EXPIRED'] as const;
export type State = (typeof states)[number];

/** How an attempt ended; OPEN until anything is recorded. */
export const attemptOutcomes = ['OPEN', 'SUCCEEDED', 'REFUSED', 'FAILED', 'NO_ANSWER'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

export const risks = ['normal', 'elevated', 'high'] as const;
export type Risk = (typeof risks)[number];

export const reversibles = ['yes', 'no', 'external'] as const;
export type Reversible = (typeof reversibles)[number];

/** Dispatches in an action's life (DESIGN §1). */
export const attemptsAllowed = 3;

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
export function inDoubt(action: Action): boolean {
  return action.state !== 'EXECUTING' && action.effect === 'UNKNOWN';
}

/** Whether a person should look at it (DESIGN §2). */
export function needsAttention(action: Action): boolean {
  if (action.state === 'EXECUTING') return false;
  if (action.state === 'INDETERMINATE' || action.effect === 'UNKNOWN') return true;
  if (action.state === 'SUCCEEDED') return action.attempts.some((attempt) => attempt.effect === 'UNKNOWN');
  return action.effect === 'APPLIED';
}
