/** What the doors can ask for. One verb, one file; app.ts puts them together. */
import type { Action, ActionId } from '../domain/action.ts';
import type { ActionableError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';

export interface StageInput {
  readonly tool: string;
  /** JSON text; empty means `{}`. */
  readonly argumentsJson: string;
  readonly userId: string;
  readonly scope: string;
  /** Empty: one is made. */
  readonly planId: string;
  /** Empty: none. */
  readonly requestId: string;
  /** Undefined: the tool's own. */
  readonly ttlMs: number | undefined;
}

export interface Staged {
  readonly action: Action;
  /** Why the action is not SUCCEEDED, where there is more to say than its state. */
  readonly error: ActionableError | null;
  readonly modelJson: string;
  readonly idempotentReplay: boolean;
}

export interface ConfirmInput {
  readonly actionId: ActionId;
  /** Empty: none. */
  readonly idempotencyKey: string;
  readonly acknowledgeHighRisk: boolean;
  readonly acknowledgeIndeterminate: boolean;
  /** Empty: not checked. */
  readonly previewDigest: string;
  readonly expectedAttempts: number | undefined;
}

export const confirmStatuses = [
  'EXECUTED',
  'REPLAYED',
  'REFUSED',
  'FAILED_RETRYABLE',
  'FAILED',
  'INDETERMINATE',
] as const;
export type ConfirmStatus = (typeof confirmStatuses)[number];

export interface Confirmed {
  readonly status: ConfirmStatus;
  readonly action: Action;
  readonly result: string | null;
  readonly error: ActionableError | null;
  readonly modelJson: string;
  readonly idempotentReplay: boolean;
}

/** Which action is meant. */
export type Lookup =
  | { readonly by: 'action-id'; readonly actionId: ActionId }
  | { readonly by: 'idempotency-key'; readonly key: string }
  | { readonly by: 'request-id'; readonly requestId: string };

export interface Shown {
  readonly action: Action;
  /** Why the action is not SUCCEEDED, where there is more to say than its state. */
  readonly error: ActionableError | null;
  readonly modelJson: string;
}

export interface Replayed extends Shown {
  readonly result: string | null;
}

/** Each throws CallError; the signal is the caller's, and is heeded before a claim only (rule 5). */
export interface Lifecycle {
  stage(principal: Principal, input: StageInput, signal: AbortSignal): Promise<Staged>;
  confirm(principal: Principal, input: ConfirmInput, signal: AbortSignal): Promise<Confirmed>;
  get(principal: Principal, lookup: Lookup): Promise<Shown>;
  replay(principal: Principal, lookup: Lookup): Promise<Replayed>;
}
