import { defineEntity, p } from '@mikro-orm/core';
import { effects, reversibles, risks, states } from '../../domain/action.ts';

/**
 * One row per action. The most selective column comes first in the key (DESIGN §7). What an attempt did is on `attempt`.
 *
 * `sweep_at` is when a sweeper has to look: the expiry while PENDING, the open attempt's lease while EXECUTING, else
 * null. `next_probe_at` and `verify_at` are when a job has something to ask. Their indexes are partial, and no statement for
 * a single action names them in a condition: no plan of one can ever use them. The other indexes serve List; retention reads
 * by age through a BRIN index, which costs a write next to nothing.
 *
 * What is only told and never looked for is JSON text (`value`, `verification`, `resolution`, `rejection`, `note`): it may hold
 * what no text column takes as it is. What was added later has a default, so that servers of the version before go on.
 *
 * Enumerations are types of the database, here and in the other tables: PostgreSQL prepares a check constraint anew in each
 * statement that writes, and ten of them cost a third of its time for a lifecycle.
 */
export const ActionEntity = defineEntity({
  name: 'Action',
  tableName: 'action',
  indexes: [
    { name: 'action_sweep_at_index', properties: ['sweepAt'], where: 'sweep_at is not null' },
    { name: 'action_next_probe_at_index', properties: ['nextProbeAt'], where: 'next_probe_at is not null' },
    { name: 'action_verify_at_index', properties: ['verifyAt'], where: 'verify_at is not null' },
    // True of every action, and said by lists only: else plans for a single action would use it too.
    { name: 'action_list_index', properties: ['tenantId', 'id'], where: "plan_id <> ''" },
    { name: 'action_attention_index', properties: ['tenantId', 'id'], where: 'needs_attention' },
    // A plan of one action has that action's id, and is found by it.
    { name: 'action_plan_index', properties: ['planId', 'tenantId'], where: 'plan_id <> id::text' },
    { name: 'action_created_at_index', properties: ['createdAt'], type: 'brin' },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.text().primary(),
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
    /** DeclaredValue. */
    value: p.text().nullable(),
    fourEyes: p.boolean().default(false),
    /** RFC 8785 text. */
    precondition: p.text().nullable(),
    intentWindowMs: p.double().default(0),
    amendedByCredential: p.text().nullable(),
    amendedByUser: p.text().nullable(),
    supersedes: p.uuid().nullable(),
    supersededBy: p.uuid().nullable(),
    /** Null when it is `created_at`. */
    placedAt: p.datetime(6).nullable(),
    verification: p.text().nullable(),
    resolution: p.text().nullable(),
    rejection: p.text().nullable(),
    note: p.text().nullable(),
    /** Kept by every write; the domain says what it is. */
    needsAttention: p.boolean().default(false),
    nextProbeAt: p.datetime(6).nullable(),
    verifyAt: p.datetime(6).nullable(),
  },
});
