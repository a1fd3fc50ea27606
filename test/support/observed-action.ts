import type { Action, ActionId, Observed } from '../../server/domain/action.ts';

export const id = '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33' as ActionId;
/** When it was staged, and seen. */
export const at = new Date('2026-08-20T18:30:00Z');
export const actor = { credentialId: 'c', userId: 'u' };

/** An action that was staged a moment ago, but for what is said. */
export function observed(over: Partial<Action> = {}): Observed {
  const action: Action = {
    id,
    tenantId: 'acme',
    scope: '',
    userId: '',
    tool: 'void_ticket',
    arguments: '{"ticket_id":"T-4417"}',
    previewDigest: 'sha256:00',
    planId: '1a7f',
    summary: 'void ticket — awaiting confirmation.',
    risk: 'normal',
    reversible: null,
    endpoint: 'pos',
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    attempts: [],
    resultAttempt: null,
    createdAt: at,
    expiresAt: new Date('2026-08-20T18:41:07.900Z'),
    settledAt: null,
    proposedBy: actor,
    value: null,
    fourEyes: false,
    precondition: null,
    intentWindowMs: 0,
    verification: null,
    resolution: null,
    rejection: null,
    note: '',
    supersedes: null,
    supersededBy: null,
    amendedBy: null,
    placedAt: at,
    nextProbeAt: null,
    ...over,
  };
  return { action, at };
}
