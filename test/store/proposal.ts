import { createHash, randomUUID } from 'node:crypto';
import { type Action, type ActionId, parseActionId } from '../../server/domain/action.ts';
import type { ActionStore, Change, Claim, NewAction } from '../../server/lifecycle/ports/action-store.ts';
import type { TestDatabase } from '../support/database.ts';

export const agent = { credentialId: 'agent-credential', userId: 'agent-user' };
export const approver = { credentialId: 'approver-credential', userId: 'approver-user' };

export function newId(): ActionId {
  const id = parseActionId(randomUUID());
  if (id === undefined) throw new Error('randomUUID made no UUID');
  return id;
}

/** A proposal like any other, but of an intent of its own unless `arguments` says otherwise. */
export function proposal(change: Partial<NewAction> = {}): NewAction {
  const id = newId();
  const args = change.arguments ?? `{"ticket_id":"${id}"}`;
  return {
    id,
    tenantId: 'acme',
    scope: 'store-12',
    userId: 'u_7',
    tool: 'void_ticket',
    arguments: args,
    previewDigest: `sha256:${createHash('sha256').update(args).digest('hex')}`,
    planId: 'plan-1',
    summary: 'Void ticket T-4417',
    risk: 'elevated',
    reversible: null,
    endpoint: 'pos',
    ttlMs: 900_000,
    proposedBy: agent,
    intentHash: createHash('sha256').update(args).digest(),
    requestId: null,
    requestedBy: change.proposedBy ?? agent,
    value: null,
    fourEyes: false,
    precondition: null,
    intentWindowMs: 0,
    amendedBy: null,
    placedAt: null,
    ...change,
  };
}

/** Stages a proposal that nothing stands in the way of. */
export async function staged(store: ActionStore, change: Partial<NewAction> = {}): Promise<Action> {
  const inserted = await store.insert(proposal(change));
  if (inserted.kind !== 'inserted') throw new Error(`not inserted: ${inserted.kind}`);
  return inserted.observed.action;
}

export function claimOf(action: Action, change: Partial<Claim> = {}): Claim {
  return { action, approver, idempotencyKey: null, timeoutMs: 20_000, ...change };
}

/** Claims an action that nobody else wants. */
export async function claimed(store: ActionStore, action: Action, change: Partial<Claim> = {}): Promise<Action> {
  const outcome = await store.claim(claimOf(action, change));
  if (outcome.kind !== 'claimed') throw new Error(`not claimed: ${outcome.kind}`);
  return outcome.action;
}

/** The settlement of the newest attempt as a success. */
export function succeeded(action: Action, result = '{"ok":true}'): Change {
  const attempt = {
    number: action.attempts.length,
    outcome: 'SUCCEEDED',
    effect: 'APPLIED',
    error: null,
    result,
  } as const;
  return { action, state: 'SUCCEEDED', effect: 'APPLIED', event: 'SETTLED', actor: approver, attempts: [attempt] };
}

/** The newest attempt failed, for certain or not, and the action is released. */
export function released(action: Action, effect: 'NONE' | 'UNKNOWN'): Change {
  const error = { code: 'EXECUTION_FAILED_RETRYABLE', message: 'It failed.', effect, retryable: true };
  const attempt = { number: action.attempts.length, outcome: 'FAILED', effect, error, result: null } as const;
  return { action, state: 'PENDING', effect, event: 'SETTLED', actor: approver, attempts: [attempt] };
}

/** The newest attempt had no answer. */
export function silent(action: Action): Change {
  const error = { code: 'OUTCOME_INDETERMINATE', message: 'No answer.', effect: 'UNKNOWN', retryable: false } as const;
  const attempt = {
    number: action.attempts.length,
    outcome: 'NO_ANSWER',
    effect: 'UNKNOWN',
    error,
    result: null,
  } as const;
  return {
    action,
    state: 'INDETERMINATE',
    effect: 'UNKNOWN',
    event: 'LEASE_OVER',
    actor: null,
    attempts: [attempt],
    due: 'lease',
  };
}

export function expired(action: Action): Change {
  const { effect } = action;
  return { action, state: 'EXPIRED', effect, event: 'EXPIRED', actor: null, attempts: [], due: 'expiry' };
}

/** A person says no. */
export function rejected(action: Action, reason = 'Not that one.'): Change {
  const { effect } = action;
  const rejection = { reason, by: approver };
  return {
    action,
    state: 'REJECTED',
    effect,
    event: 'REJECTED',
    actor: approver,
    attempts: [],
    note: reason,
    rejection,
  };
}

/** An ended attempt turned out to have taken effect, or not; the state is the caller's to say. */
export function learned(action: Action, number: number, effect: 'NONE' | 'APPLIED', change: Partial<Change>): Change {
  const outcome = action.attempts.find((each) => each.number === number)?.outcome ?? 'OPEN';
  const attempt = { number, outcome, effect, error: null, result: null };
  return { action, state: action.state, effect, event: 'PROBED', actor: null, attempts: [attempt], ...change };
}

/** Makes an action overdue. */
export async function backdate(database: TestDatabase, id: string, by = '1 hour'): Promise<void> {
  await database.query(
    `update action set expires_at = expires_at - $2::interval, sweep_at = sweep_at - $2::interval where id = $1`,
    [id, by],
  );
}

/** Applies a change that nobody else gets in the way of. */
export async function applied(store: ActionStore, change: Change): Promise<Action> {
  const observed = await store.apply(change);
  if (observed === undefined) throw new Error('lost');
  return observed.action;
}
