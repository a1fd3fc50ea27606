/** What the doors can ask for. One verb, one file; app.ts puts them together. */
import type { Action, ActionId } from '../domain/action.ts';
import type { ActionableError } from '../domain/error.ts';
import type { Difference } from '../domain/observation.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import type { ActionFilter } from './ports/action-store.ts';
import type { ProbeDisposition } from './ports/dispatcher.ts';
import type { ActionEvent } from './ports/events.ts';

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
  'PRECONDITION_FAILED',
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

/** An action, and why it is not SUCCEEDED where there is more to say than its state. */
export type Told = Pick<Shown, 'action' | 'error'>;

export interface ListInput {
  readonly filter: ActionFilter;
  /** 0: the usual. */
  readonly pageSize: number;
  /** Empty: the first page. */
  readonly cursor: string;
}

export interface Listed {
  readonly items: readonly Told[];
  /** Empty when this was the last page. */
  readonly nextCursor: string;
}

export type CallInput = StageInput;

export interface Called {
  readonly modelJson: string;
  /** A read's answer as it was sent; null for a write. */
  readonly result: string | null;
  /** The write that was staged; null for a read. */
  readonly action: Action | null;
  readonly error: ActionableError | null;
  readonly pending: readonly Told[];
  readonly idempotentReplay: boolean;
}

export interface RejectInput {
  readonly actionId: ActionId;
  readonly reason: string;
}

export interface ResolveInput {
  readonly actionId: ActionId;
  readonly landed: boolean;
  /** JSON text; null when nobody knows it. */
  readonly resultJson: string | null;
  readonly note: string;
  readonly expectedAttempts: number;
  readonly observedAt: Date;
}

/** What a person's decision came to. */
export interface Decided extends Shown {
  readonly idempotentReplay: boolean;
}

export interface AmendInput {
  readonly actionId: ActionId;
  readonly argumentsJson: string;
  /** Empty: none. */
  readonly requestId: string;
  /** Empty: the action's. */
  readonly tool: string;
}

export interface AmendedShown extends Shown {
  readonly superseded: Action;
  readonly supersededError: ActionableError | null;
  readonly idempotentReplay: boolean;
}

export interface Probed extends Shown {
  readonly disposition: ProbeDisposition;
  readonly settled: boolean;
  readonly nextProbeAt: Date | null;
}

export interface RecheckShown {
  readonly holds: boolean;
  /** Null when nothing was looked at then. */
  readonly before: string | null;
  readonly now: string;
  readonly differences: readonly Difference[];
  readonly action: Action;
}

export type PlanVerdict = { readonly index: number; readonly actionId: ActionId } & (
  | { readonly kind: 'confirmed'; readonly confirmed: Confirmed }
  | { readonly kind: 'refused'; readonly error: ActionableError }
  | { readonly kind: 'not-run'; readonly reason: string }
);

export type WatchUpdate = { readonly cursor: string } & (
  | ({ readonly kind: 'snapshot' } & Told)
  | ({ readonly kind: 'change'; readonly event: ActionEvent } & Told)
  | { readonly kind: 'heartbeat' }
);

export interface EventsListed {
  readonly events: readonly ActionEvent[];
  readonly nextCursor: string;
  readonly more: boolean;
}

/** Each throws CallError; the signal is the caller's, and is heeded before a claim only (rule 5). */
export interface Lifecycle {
  /** The tools as they are declared now, by name. */
  listTools(): readonly Tool[];
  call(principal: Principal, input: CallInput, signal: AbortSignal): Promise<Called>;
  stage(principal: Principal, input: StageInput, signal: AbortSignal): Promise<Staged>;
  confirm(principal: Principal, input: ConfirmInput, signal: AbortSignal): Promise<Confirmed>;
  confirmPlan(principal: Principal, entries: readonly ConfirmInput[], signal: AbortSignal): AsyncIterable<PlanVerdict>;
  get(principal: Principal, lookup: Lookup): Promise<Shown>;
  replay(principal: Principal, lookup: Lookup): Promise<Replayed>;
  list(principal: Principal, input: ListInput): Promise<Listed>;
  watch(
    principal: Principal,
    input: Pick<ListInput, 'filter' | 'cursor'>,
    signal: AbortSignal,
  ): AsyncIterable<WatchUpdate>;
  reject(principal: Principal, input: RejectInput): Promise<Decided>;
  amend(principal: Principal, input: AmendInput, signal: AbortSignal): Promise<AmendedShown>;
  resolve(principal: Principal, input: ResolveInput): Promise<Decided>;
  probeNow(principal: Principal, actionId: ActionId, signal: AbortSignal): Promise<Probed>;
  recheck(principal: Principal, actionId: ActionId, signal: AbortSignal): Promise<RecheckShown>;
  /** Of one action, or of the tenant when it is null. */
  listEvents(
    principal: Principal,
    input: Omit<ListInput, 'filter'> & { readonly actionId: ActionId | null },
  ): Promise<EventsListed>;
}
