import type { Action, Observed } from '../../domain/action.ts';
import { isPastExpiry } from '../../domain/action.ts';
import type { Amended, NewAction } from '../../lifecycle/ports/action-store.ts';
import type { Database, Statement } from '../database.ts';
import { violatedUnique } from '../errors.ts';
import { find, findByIntent } from './find.ts';
import { holds } from './holds.ts';
import { type StagedRow, stagedOf, valuesOf, withAction } from './new-action.ts';
import { passedOn, releasedOverdue, releasedSettled } from './pass-on.ts';
import { requested } from './request.ts';

/**
 * The old action is locked while it is as it was read and can be amended; the new intent's row is got; then the old one is
 * SUPERSEDED, what it held is let go unless it passed on, and the new one is brought. One statement: all of it or nothing.
 */
function amending(held: string): string {
  return withAction(
    `old as (
      select a.id, a.intent_hash from action a
      where a.id = $22 and a.tenant_id = $2 and a.version = $23
        and a.state = 'PENDING' and a.effect <> 'UNKNOWN' and a.expires_at > now()
      for no key update
    ), ${held}, superseded as (
      update action a set state = 'SUPERSEDED', version = a.version + 1, settled_at = now(), sweep_at = null,
        superseded_by = $1
      from held
      where a.id = $22 and a.tenant_id = $2
      returning a.id, a.version, a.effect, a.preview_digest
    ), told as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, actor_credential, actor_user,
        preview_digest, at)
      select id, version, $2, 'SUPERSEDED', 'PENDING', 'SUPERSEDED', effect, $18, $19, preview_digest, now() from superseded
    ), let_go as (
      delete from intent i using held
      where i.intent_hash = (select intent_hash from old) and i.tenant_id = $2 and i.action_id = $22 and i.intent_hash <> $16
    )`,
    '$22',
  );
}

/** The new intent is free, or the old action's own. */
const straight: Statement = {
  name: 'action_amend',
  writes: true,
  text: amending(`held as (
      insert into intent as i (intent_hash, tenant_id, action_id) select $16, $2, $1 from old
      on conflict (intent_hash, tenant_id) do update set action_id = excluded.action_id where i.action_id = $22
      returning i.action_id
    )`),
};

const onlyWithOld = ' and exists (select from old)';

const afterSettled: Statement = {
  name: 'action_amend_after_settled',
  writes: true,
  text: amending(`${releasedSettled('$24', '$25', onlyWithOld)}, ${passedOn}`),
};

const afterOverdue: Statement = {
  name: 'action_amend_after_overdue',
  writes: true,
  text: amending(`${releasedOverdue('$24', '$25', onlyWithOld)}, ${passedOn}`),
};

/** Each lost race means that somebody else got on; this many in a row mean that something is wrong. */
const tries = 20;

/** See {@link ActionStore.amend}. */
export async function amend(database: Database, old: Action, replacement: NewAction): Promise<Amended> {
  const { tenantId, intentHash } = replacement;
  let holder: Observed | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const observed = await put(database, old, replacement, holder);
    if (observed) return { kind: 'amended', superseded: supersededBy(old, observed), observed };
    const before = await requested(database, replacement);
    if (before) return { kind: 'requested', observed: before };
    const now = await find(database, tenantId, old.id);
    if (now?.action.version !== old.version || !isAmendable(now)) return { kind: 'lost' };
    const found = await findByIntent(database, tenantId, intentHash);
    holder = found?.action.id === old.id ? undefined : found;
    if (holder && holds(holder)) return { kind: 'held', observed: holder };
  }
  throw new Error(`amending ${old.id} lost ${tries} races in a row`);
}

function isAmendable(observed: Observed): boolean {
  const { state, effect } = observed.action;
  return state === 'PENDING' && effect !== 'UNKNOWN' && !isPastExpiry(observed);
}

/** Undefined when the old action, the intent or the request id was not to be had. */
async function put(
  database: Database,
  old: Action,
  replacement: NewAction,
  holder: Observed | undefined,
): Promise<Observed | undefined> {
  const values = [...valuesOf(replacement), old.id, old.version];
  try {
    const [row] =
      holder === undefined
        ? await database.run<StagedRow>(straight, values)
        : await database.run<StagedRow>(holder.action.state === 'PENDING' ? afterOverdue : afterSettled, [
            ...values,
            holder.action.id,
            holder.action.version,
          ]);
    return row && stagedOf(replacement, row, old.id);
  } catch (error) {
    if (violatedUnique(error) === 'stage_request_pkey') return undefined;
    throw error;
  }
}

/** What the statement left of the old action, without asking again. */
function supersededBy(old: Action, { action, at }: Observed): Observed {
  const version = old.version + 1;
  return { action: { ...old, state: 'SUPERSEDED', version, settledAt: at, supersededBy: action.id }, at };
}
