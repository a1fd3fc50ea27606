import { defineEntity, p } from '@mikro-orm/core';
import { effects, reversibles, risks, states } from '../../domain/action.ts';

/**
 * One row per action. What an attempt did is on `attempt`. Each index is paid for by three writes in an action's life, so there are
 * few. The key serves lists as well, since ids are in the order of their making: it alone begins with the tenant, which is safe
 * because no plan for a single action has another index to choose, and each names the whole of it.
 *
 * `sweep_at` is when a sweeper has to look: the expiry while PENDING, the open attempt's lease while EXECUTING, else
 * null. `next_probe_at` and `verify_at` are when a job has something to ask. The indexes of these moments are partial, and only
 * sweepers, jobs and lists name them: no plan for a single action can ever use them.
 *
 * What is only told and never looked for is JSON text: it may hold what no text column takes as it is, and in most actions there
 * is none of it. What was added later has a default, so that servers of the version before go on.
 *
 * Enumerations are types of the database, here and in the other tables: PostgreSQL prepares a check constraint anew in each
 * statement that writes, and ten of them cost a third of its time for a lifecycle.
 */
export const ActionEntity = defineEntity({
  name: 'Action',
  tableName: 'action',
  indexes: [
    { name: 'action_sweep_at_index', properties: ['sweepAt'], where: 'sweep_at is not null' },
    {
      name: 'action_due_index',
      expression: `create index "action_due_index" on "action" (least(next_probe_at, verify_at))
        where least(next_probe_at, verify_at) is not null`,
    },
    { name: 'action_attention_index', properties: ['tenantId', 'id'], where: 'needs_attention' },
    // A plan of one action has that action's id, and is found by it.
    { name: 'action_plan_index', properties: ['planId', 'tenantId'], where: 'plan_id <> id::text' },
  ],
  properties: {
    tenantId: p.text().primary(),
    id: p.uuid().primary(),
    scope: p.text(),
    userId: p.text(),
    tool: p.text(),
    /** RFC 8785 text; text and not jsonb, since what is dispatched is what was shown, byte for byte. */
    arguments: p.text(),
    previewDigest: p.text(),
    planId: p.text(),
    /** A JSON string: an argument may hold a NUL, which no text column takes as it is. */
    summary: p.text(),
    risk: p.enum(risks).nativeEnumName('risk'),
    reversible: p.enum(reversibles).nativeEnumName('reversible').nullable(),
    endpoint: p.text(),
    proposedByCredential: p.text(),
    proposedByUser: p.text(),
    intentHash: p.blob(),
    state: p.enum(states).nativeEnumName('action_state'),
    effect: p.enum(effects).nativeEnumName('effect'),
    /** The optimistic lock, bumped by every transition. */
    version: p.integer(),
    resultAttempt: p.smallint().nullable(),
    createdAt: p.datetime(6),
    expiresAt: p.datetime(6),
    settledAt: p.datetime(6).nullable(),
    sweepAt: p.datetime(6).nullable(),
    /** What was declared, and found, when it was staged, and never changes; null for nothing of it. */
    declared: p.text().nullable(),
    /** What was decided and found out since, as it is now; null for nothing of it. */
    decided: p.text().nullable(),
    intentWindowMs: p.double().default(0),
    supersedes: p.uuid().nullable(),
    supersededBy: p.uuid().nullable(),
    /** Kept by every write; the domain says what it is. */
    needsAttention: p.boolean().default(false),
    nextProbeAt: p.datetime(6).nullable(),
    verifyAt: p.datetime(6).nullable(),
  },
});
