import type { ActionStore } from '../../lifecycle/ports/action-store.ts';
import type { Database } from '../database.ts';
import { amend } from './amend.ts';
import { apply } from './apply.ts';
import { claim } from './claim.ts';
import { scheduleProbe, takeDueProbes, takeDueVerifications } from './due.ts';
import { findByIdempotencyKey, findByRequestId } from './find.ts';
import { createFind } from './find-together.ts';
import { insert } from './insert.ts';
import { list } from './list.ts';
import { meet } from './meet.ts';
import { retain } from './retain.ts';
import { orphaned, overdue } from './sweep.ts';

/**
 * The record of actions in PostgreSQL. Every operation is one statement and so one transaction; a stage or an amendment that
 * meets another action takes a few. `written` is told of each tenant whose trail got longer, after the commit.
 */
export function createActionStore(
  database: Database,
  written: (tenantId: string) => void = () => undefined,
): ActionStore {
  return {
    async insert(action) {
      const inserted = await insert(database, action);
      if (inserted.kind === 'inserted') written(action.tenantId);
      return inserted;
    },
    meet: (action) => meet(database, action),
    find: createFind(database),
    findByIdempotencyKey: (tenantId, userId, key) => findByIdempotencyKey(database, tenantId, userId, key),
    findByRequestId: (tenantId, credentialId, requestId) =>
      findByRequestId(database, tenantId, credentialId, requestId),
    async claim(asked) {
      const claimed = await claim(database, asked);
      if (claimed.kind === 'claimed') written(asked.action.tenantId);
      return claimed;
    },
    async apply(change) {
      const observed = await apply(database, change);
      if (observed !== undefined) written(change.action.tenantId);
      return observed;
    },
    async amend(old, replacement) {
      const amended = await amend(database, old, replacement);
      if (amended.kind === 'amended') written(old.tenantId);
      return amended;
    },
    list: (query) => list(database, query),
    takeDueProbes: (limit, againInMs) => takeDueProbes(database, limit, againInMs),
    scheduleProbe: (action, inMs) => scheduleProbe(database, action, inMs),
    takeDueVerifications: (limit, againInMs) => takeDueVerifications(database, limit, againInMs),
    retain: (keep) => retain(database, keep),
    overdue: (limit) => overdue(database, limit),
    orphaned: (limit) => orphaned(database, limit),
  };
}
