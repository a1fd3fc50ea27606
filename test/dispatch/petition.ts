import type { Action, ActionId, Actor, Observed } from '../../server/domain/action.ts';

export const approver: Actor = { credentialId: 'cred-b', userId: 'bob' };

/** An action that waits for its second attempt, and says something in every field that one can have that waits. */
const waiting: Action = {
  id: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33' as ActionId,
  tenantId: 'acme',
  scope: 'store-12',
  userId: 'u_7',
  tool: 'void_ticket',
  arguments: '{"amount_usd":12345678901234567000,"reason":"spilled \\"soup\\"","ticket_id":"T-4417"}',
  previewDigest: `sha256:${'ab'.repeat(32)}`,
  planId: 'plan-1',
  summary: 'Void ticket T-4417\u202e',
  risk: 'elevated',
  reversible: 'no',
  endpoint: 'pos',
  state: 'PENDING',
  effect: 'UNKNOWN',
  version: 3,
  attempts: [
    {
      number: 1,
      outcome: 'FAILED',
      effect: 'UNKNOWN',
      startedAt: new Date('2026-08-20T18:41:07.123Z'),
      deadlineAt: new Date('2026-08-20T18:41:27.123Z'),
      leaseUntil: new Date('2026-08-20T18:41:57.123Z'),
      finishedAt: new Date('2026-08-20T18:41:09Z'),
      confirmedBy: { credentialId: 'cred-a', userId: 'ann' },
      result: null,
      error: { code: 'EXECUTION_FAILED_RETRYABLE', message: 'It failed.', effect: 'UNKNOWN', retryable: true },
    },
  ],
  resultAttempt: null,
  createdAt: new Date('2026-08-20T18:40:00Z'),
  expiresAt: new Date('2026-08-20T18:55:00Z'),
  settledAt: null,
  proposedBy: { credentialId: 'cred-agent', userId: 'harness' },
  value: { amountJson: '12345678901234567000', threshold: 50, unit: 'USD' },
  fourEyes: true,
  precondition: '{"/status":"open","/total_usd":9.50}',
  intentWindowMs: 0,
  verification: null,
  resolution: null,
  rejection: null,
  note: '',
  supersedes: '11111111-2222-4333-8444-555555555555' as ActionId,
  supersededBy: null,
  amendedBy: { credentialId: 'cred-a', userId: 'ann' },
  placedAt: new Date('2026-08-20T18:39:00Z'),
  nextProbeAt: null,
};

export const observed: Observed = { action: waiting, at: new Date('2026-08-20T18:42:00Z') };
