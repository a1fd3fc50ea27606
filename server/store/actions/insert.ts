import type { Observed } from '../../domain/action.ts';
import type { Inserted, NewAction } from '../../lifecycle/ports/action-store.ts';
import type { Database, Statement } from '../database.ts';
import { violatedUnique } from '../errors.ts';
import { findByIntent } from './find.ts';
import { holds } from './holds.ts';
import { type StagedRow, stagedOf, valuesOf, withAction } from './new-action.ts';
import { passedOn, releasedOverdue, releasedSettled } from './pass-on.ts';
import { remember, requested } from './request.ts';

const fresh: Statement = {
  name: 'action_insert',
  writes: true,
  text: withAction(`held as (
      insert into intent (intent_hash, tenant_id, action_id) values ($16, $2, $1)
      on conflict do nothing
      returning action_id
    )`),
};

const afterSettled: Statement = {
  name: 'action_insert_after_settled',
  writes: true,
  text: withAction(`${releasedSettled('$22', '$23')}, ${passedOn}`),
};

const afterOverdue: Statement = {
  name: 'action_insert_after_overdue',
  writes: true,
  text: withAction(`${releasedOverdue('$22', '$23')}, ${passedOn}`),
};

/** Each lost race means that somebody else got on; this many in a row mean that something is wrong. */
const tries = 20;

/** See {@link ActionStore.insert}. */
export async function insert(database: Database, action: NewAction): Promise<Inserted> {
  let holder: Observed | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const inserted = await put(database, action, holder);
    if (inserted) return { kind: 'inserted', observed: inserted };
    const before = await requested(database, action);
    if (before) return { kind: 'requested', observed: before };
    holder = await findByIntent(database, action.tenantId, action.intentHash);
    if (holder && holds(holder) && (await remember(database, action, holder.action)))
      return { kind: 'held', observed: holder };
  }
  throw new Error(`staging ${action.id} lost ${tries} races in a row`);
}

/** Undefined when somebody else was first, with the intent or with the request id. */
async function put(database: Database, action: NewAction, holder: Observed | undefined): Promise<Observed | undefined> {
  const values = valuesOf(action);
  try {
    const [row] =
      holder === undefined || holds(holder)
        ? await database.run<StagedRow>(fresh, values)
        : await database.run<StagedRow>(holder.action.state === 'PENDING' ? afterOverdue : afterSettled, [
            ...values,
            holder.action.id,
            holder.action.version,
          ]);
    return row && stagedOf(action, row, null);
  } catch (error) {
    if (violatedUnique(error) === 'stage_request_pkey') return undefined;
    throw error;
  }
}
