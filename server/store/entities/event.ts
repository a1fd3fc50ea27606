import { defineEntity, p, raw } from '@mikro-orm/core';
import { effects, states } from '../../domain/action.ts';
import { eventTypes } from '../../lifecycle/ports/events.ts';
import { appendOnly } from './append-only.ts';

/**
 * The audit trail: one row per transition, so one per version of an action (DESIGN §2 rule 6). Rows are never changed, and
 * deleted by retention alone.
 *
 * Sequence numbers commit out of order; `transaction_id` lets a reader stop below the oldest running transaction.
 */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  indexes: [{ name: 'event_trail_index', properties: ['tenantId', 'transactionId', 'seq'] }],
  triggers: [appendOnly('event')],
  properties: {
    actionId: p.uuid().primary(),
    version: p.integer().primary(),
    tenantId: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    transactionId: p.string().columnType('xid8').default(raw('pg_current_xact_id()')),
    type: p.enum(eventTypes).nativeEnumName('event_type'),
    fromState: p.enum(states).nativeEnumName('action_state').nullable(),
    toState: p.enum(states).nativeEnumName('action_state'),
    effect: p.enum(effects).nativeEnumName('effect'),
    /** Both null when the server itself did it. */
    actorCredential: p.text().nullable(),
    actorUser: p.text().nullable(),
    attempt: p.smallint().nullable(),
    /** What was shown and dispatched: covers the arguments. */
    previewDigest: p.text(),
    /** What was said with it, as a JSON string; null for nothing. */
    note: p.text().nullable(),
    at: p.datetime(6),
  },
});
