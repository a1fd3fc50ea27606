import { defineEntity, p } from '@mikro-orm/core';
import { effects, reversibles, risks, states } from '../../domain/action.ts';

/**
 * One row per action. The most selective column comes first in the key (DESIGN §7). What an attempt did is on `attempt`.
 *
 * `sweep_at` is when a sweeper has to look: the expiry while PENDING, the open attempt's lease while EXECUTING, else
 * null. Its index is partial, and only the sweepers name the column: no plan for a single action can ever use it.
 *
 * Enumerations are types of the database, here and in the other tables: PostgreSQL prepares a check constraint anew in each
 * statement that writes, and ten of them cost a third of its time for a lifecycle.
 */
export const ActionEntity = defineEntity({
  name: 'Action',
  tableName: 'action',
  indexes: [{ name: 'action_sweep_at_index', properties: ['sweepAt'], where: 'sweep_at is not null' }],
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
  },
});
