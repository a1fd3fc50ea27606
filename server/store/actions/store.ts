import type { ActionStore } from '../../lifecycle/ports.ts';
import type { Database } from '../database.ts';
import { apply } from './apply.ts';
import { claim } from './claim.ts';
import { find, findByIdempotencyKey, findByRequestId } from './find.ts';
import { insert } from './insert.ts';
import { orphaned, overdue } from './sweep.ts';

/**
 * The record of actions in PostgreSQL. Every operation is one statement and so one transaction; a stage that meets another
 * one takes a few.
 */
export function createActionStore(database: Database): ActionStore {
  return {
    insert: (action) => insert(database, action),
    find: (tenantId, id) => find(database, tenantId, id),
    findByIdempotencyKey: (tenantId, userId, key) => findByIdempotencyKey(database, tenantId, userId, key),
    findByRequestId: (tenantId, credentialId, requestId) =>
      findByRequestId(database, tenantId, credentialId, requestId),
    claim: (asked) => claim(database, asked),
    apply: (change) => apply(database, change),
    overdue: (limit) => overdue(database, limit),
    orphaned: (limit) => orphaned(database, limit),
  };
}
