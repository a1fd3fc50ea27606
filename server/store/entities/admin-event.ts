import { defineEntity, p, raw } from '@mikro-orm/core';
import { appendOnly } from './append-only.ts';

/**
 * What operators did, by whom and when: one row per change, written in its transaction. Rows are never changed, and deleted by
 * retention alone. Sequence numbers commit out of order, as in `event`.
 */
export const AdminEventEntity = defineEntity({
  name: 'AdminEvent',
  tableName: 'admin_event',
  indexes: [{ name: 'admin_event_trail_index', properties: ['tenantId', 'transactionId', 'seq'] }],
  triggers: [appendOnly('admin_event')],
  properties: {
    seq: p.bigint('string').primary().autoincrement(),
    tenantId: p.text().primary(),
    transactionId: p.string().columnType('xid8').default(raw('pg_current_xact_id()')),
    /** One of `adminEventTypes`; text, since they grow with what operators can do. */
    type: p.text(),
    /** What it was done to: the id of a credential, for one. */
    subject: p.text(),
    /** Both null when the server itself did it. */
    actorCredential: p.text().nullable(),
    actorUser: p.text().nullable(),
    /** A JSON object: what else there is to tell; never a secret. */
    detail: p.text(),
    at: p.datetime(6).default(raw('clock_timestamp()')),
  },
});
