import type { Action, ActionId } from '../../server/domain/action.ts';
import type { Principal, Role } from '../../server/domain/principal.ts';
import type { Tool } from '../../server/domain/tool.ts';
import type {
  Called,
  Confirmed,
  Lifecycle,
  PlanVerdict,
  Probed,
  RecheckShown,
  Replayed,
  Shown,
  Staged,
  WatchUpdate,
} from '../../server/lifecycle/lifecycle.ts';
import type { Authenticator } from '../../server/lifecycle/ports/authenticator.ts';
import type { ActionEvent } from '../../server/lifecycle/ports/events.ts';

export const actionId = '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33' as ActionId;
export const olderId = '11111111-2222-4333-8444-555555555555' as ActionId;
export const newerId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' as ActionId;

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
  value: { amountJson: '70.5', threshold: 50, unit: 'USD' },
  fourEyes: true,
  precondition: '{"/status":"open"}',
  intentWindowMs: 0,
  verification: { state: 'UNVERIFIED', reason: 'The ticket is still open.', at: new Date('2026-08-20T18:45:01Z') },
  resolution: null,
  rejection: { reason: 'Not\ttoday.', by: { credentialId: 'cred-c', userId: 'cyd' } },
  note: '',
  supersedes: olderId,
  supersededBy: newerId,
  amendedBy: { credentialId: 'cred-d', userId: 'dee' },
  placedAt: new Date('2026-08-20T18:39:59.999Z'),
  nextProbeAt: null,
};

export const result = settledAction.attempts[1]?.result ?? '';

export const shown: Shown = { action: settledAction, error: null, modelJson: '{"state":"SUCCEEDED"}' };
export const staged: Staged = { ...shown, idempotentReplay: true };
export const confirmed: Confirmed = { ...shown, status: 'EXECUTED', result, idempotentReplay: false };
const replayed: Replayed = { ...shown, result };

const called: Called = {
  modelJson: '{"a": 1}',
  result: '{"a": 1}',
  action: null,
  error: null,
  pending: [shown],
  idempotentReplay: false,
};
const probed: Probed = {
  ...shown,
  disposition: 'IN_PROGRESS',
  settled: false,
  nextProbeAt: new Date('2026-08-20T19:00:00Z'),
};
const rechecked: RecheckShown = {
  holds: false,
  before: '{"/status":"open"}',
  now: '{"/status":"void"}',
  differences: [
    { pointer: '/status', beforeJson: '"open"', nowJson: '"void"' },
    { pointer: '/total', beforeJson: null, nowJson: '7' },
  ],
  action: settledAction,
};
export const event: ActionEvent = {
  actionId,
  version: 2,
  type: 'CLAIMED',
  from: 'PENDING',
  to: 'EXECUTING',
  effect: 'UNKNOWN',
  attempt: 1,
  actor: { credentialId: 'cred-a', userId: 'ann' },
  previewDigest: settledAction.previewDigest,
  note: 'noted',
  at: new Date('2026-08-20T18:41:07.123Z'),
  position: { transaction: 77n, sequence: 5n },
};
const tool: Tool = {
  name: 'void_ticket',
  description: 'Void an open ticket.',
  endpoint: 'pos',
  isWrite: true,
  input: { type: 'object', properties: { ticket_id: { type: 'string' } } },
  validate: () => undefined,
  summary: null,
  risk: 'high',
  reversible: 'no',
  ttlSeconds: 900,
  timeoutSeconds: 20,
  value: null,
  fourEyes: false,
  precondition: null,
  verify: null,
  intent: null,
};
const tools: readonly Tool[] = [
  { ...tool, name: 'get_ticket', description: 'One ticket.', isWrite: false, risk: 'normal' },
  tool,
];
export const updates: readonly WatchUpdate[] = [
  { kind: 'snapshot', action: settledAction, error: null, cursor: 'e1.1' },
  { kind: 'heartbeat', cursor: 'e1.1' },
  { kind: 'change', event, action: settledAction, error: null, cursor: 'e77.5' },
];
export const verdicts: readonly PlanVerdict[] = [
  { index: 0, actionId: olderId, kind: 'confirmed', confirmed },
  {
    index: 1,
    actionId,
    kind: 'refused',
    error: { code: 'ACTION_NOT_FOUND', message: 'There is none.', effect: 'NONE', retryable: false },
  },
  { index: 2, actionId: newerId, kind: 'not-run', reason: 'Entry 1 was refused: ACTION_NOT_FOUND.' },
];

/**
 * A lifecycle that does what a test says, since what is tested is the wire. `calls` is what reached it.
 */
export interface Script extends Lifecycle {
  readonly calls: { readonly verb: keyof Lifecycle; readonly principal?: Principal; readonly input?: unknown }[];
  /** Runs instead of the ordinary answer of every verb; of a stream, before its first. */
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
  async function* playAll<T>(
    verb: keyof Lifecycle,
    principal: Principal,
    input: unknown,
    answers: readonly T[],
    signal: AbortSignal,
  ): AsyncGenerator<T> {
    yield* await play(verb, principal, input, answers, signal);
  }
  const script: Script = {
    calls: [],
    instead: undefined,
    stage: (principal, input, signal) => play('stage', principal, input, staged, signal),
    confirm: (principal, input, signal) => play('confirm', principal, input, confirmed, signal),
    get: (principal, lookup) => play('get', principal, lookup, shown),
    replay: (principal, lookup) => play('replay', principal, lookup, replayed),
    listTools: () => {
      script.calls.push({ verb: 'listTools' });
      return tools;
    },
    call: (principal, input, signal) => play('call', principal, input, called, signal),
    confirmPlan: (principal, entries, signal) => playAll('confirmPlan', principal, entries, verdicts, signal),
    list: (principal, input) => play('list', principal, input, { items: [shown], nextCursor: 'more' }),
    watch: (principal, input, signal) => playAll('watch', principal, input, updates, signal),
    reject: (principal, input) => play('reject', principal, input, staged),
    amend: (principal, input, signal) =>
      play(
        'amend',
        principal,
        input,
        { ...staged, superseded: { ...settledAction, id: olderId }, supersededError: null },
        signal,
      ),
    resolve: (principal, input) => play('resolve', principal, input, staged),
    probeNow: (principal, id, signal) => play('probeNow', principal, id, probed, signal),
    recheck: (principal, id, signal) => play('recheck', principal, id, rechecked, signal),
    listEvents: (principal, input) =>
      play('listEvents', principal, input, { events: [event], nextCursor: 'e77.5', more: true }),
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
  recognises: () => false,
};
