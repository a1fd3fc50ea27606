import type { Action, ActionId } from '../../server/domain/action.ts';
import type { Principal, Role } from '../../server/domain/principal.ts';
import type { Confirmed, Lifecycle, Replayed, Shown, Staged } from '../../server/lifecycle/lifecycle.ts';
import type { Authenticator } from '../../server/lifecycle/ports.ts';

export const actionId = '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33' as ActionId;

/** An action that says something in every field: one attempt failed in doubt, a second succeeded. */
export const settledAction: Action = {
  id: actionId,
  tenantId: 'acme',
  scope: 'store-12',
  userId: 'u_7',
  tool: 'void_ticket',
  arguments: '{"amount":12345678901234567000,"ticket_id":"T-4417"}',
  previewDigest: `sha256:${'ab'.repeat(32)}`,
  planId: 'plan-1',
  summary: 'Void ticket T-4417',
  risk: 'elevated',
  reversible: 'no',
  endpoint: 'pos',
  state: 'SUCCEEDED',
  effect: 'APPLIED',
  version: 9007199254740991,
  attempts: [
    {
      number: 1,
      outcome: 'NO_ANSWER',
      effect: 'UNKNOWN',
      startedAt: new Date('2026-08-20T18:41:07.123Z'),
      deadlineAt: new Date('2026-08-20T18:41:27.123Z'),
      leaseUntil: new Date('2026-08-20T18:41:57.123Z'),
      finishedAt: new Date('2026-08-20T18:41:27.124Z'),
      confirmedBy: { credentialId: 'cred-a', userId: 'ann' },
      result: null,
      error: { code: 'OUTCOME_INDETERMINATE', message: 'No answer came.', effect: 'UNKNOWN', retryable: false },
    },
    {
      number: 2,
      outcome: 'SUCCEEDED',
      effect: 'APPLIED',
      startedAt: new Date('2026-08-20T18:45:00Z'),
      deadlineAt: new Date('2026-08-20T18:45:20Z'),
      leaseUntil: new Date('2026-08-20T18:45:50Z'),
      finishedAt: new Date('2026-08-20T18:45:00.250Z'),
      confirmedBy: { credentialId: 'cred-b', userId: 'bob' },
      result: '{"receipt": 9007199254740993, "note":"\\u0000"}',
      error: null,
    },
  ],
  resultAttempt: 2,
  createdAt: new Date('2026-08-20T18:40:00.001Z'),
  expiresAt: new Date('2026-08-20T18:55:00.001Z'),
  settledAt: new Date('2026-08-20T18:45:00.250Z'),
  proposedBy: { credentialId: 'cred-agent', userId: 'model' },
};

export const result = settledAction.attempts[1]?.result ?? '';

export const shown: Shown = { action: settledAction, error: null, modelJson: '{"state":"SUCCEEDED"}' };
export const staged: Staged = { ...shown, idempotentReplay: true };
export const confirmed: Confirmed = { ...shown, status: 'EXECUTED', result, idempotentReplay: false };
const replayed: Replayed = { ...shown, result };

/**
 * A lifecycle that does what a test says, since what is tested is the wire. `calls` is what reached it.
 */
export interface Script extends Lifecycle {
  readonly calls: { readonly verb: keyof Lifecycle; readonly principal: Principal; readonly input: unknown }[];
  /** Runs instead of the ordinary answer of every verb. */
  instead: ((signal: AbortSignal | undefined) => Promise<never> | never | Promise<undefined>) | undefined;
}

export function scriptedLifecycle(): Script {
  const play = async <T>(
    verb: keyof Lifecycle,
    principal: Principal,
    input: unknown,
    answer: T,
    signal?: AbortSignal,
  ): Promise<T> => {
    script.calls.push({ verb, principal, input });
    await script.instead?.(signal);
    return answer;
  };
  const script: Script = {
    calls: [],
    instead: undefined,
    stage: (principal, input, signal) => play('stage', principal, input, staged, signal),
    confirm: (principal, input, signal) => play('confirm', principal, input, confirmed, signal),
    get: (principal, lookup) => play('get', principal, lookup, shown),
    replay: (principal, lookup) => play('replay', principal, lookup, replayed),
  };
  return script;
}

export function principalOf(role: Role): Principal {
  return { tenantId: 'acme', credentialId: `cred-${role}`, userId: role, role, scopes: null };
}

/** Knows three keys: `key-agent`, `key-approver` and `key-operator`. */
export const threeKeys: Authenticator = {
  async authenticate(credential) {
    const role = (['agent', 'approver', 'operator'] as const).find((each) => credential === `key-${each}`);
    return role && principalOf(role);
  },
};
