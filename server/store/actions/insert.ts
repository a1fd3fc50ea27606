import type { Action, ActionId, Observed } from '../../domain/action.ts';
import { isPastExpiry } from '../../domain/action.ts';
import type { Inserted, NewAction } from '../../lifecycle/ports.ts';
import type { Database, Statement } from '../database.ts';
import { violatedUnique } from '../errors.ts';
import { findByIntent, findByRequestId } from './find.ts';

/** Whoever gets the intent's row writes everything else, in the same statement; a known request id undoes all of it. */
function withAction(held: string): string {
  return `
    with ${held}, staged as (
      insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk,
        reversible, endpoint, proposed_by_credential, proposed_by_user, intent_hash, state, effect, version,
        created_at, expires_at, sweep_at)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, $15, $16, 'PENDING', 'NONE', 1,
        now(), now() + $13::float8 * interval '1 millisecond', now() + $13::float8 * interval '1 millisecond'
      from held
      returning created_at, expires_at
    ), requested as (
      insert into stage_request (request_id, credential_id, tenant_id, action_id)
      select $17, $14, $2, $1 from held where $17::text is not null
    ), logged as (
      insert into event (action_id, version, tenant_id, type, to_state, effect, actor_credential, actor_user,
        preview_digest, at)
      select $1, 1, $2, 'STAGED', 'PENDING', 'NONE', $14, $15, $7, now() from held
    )
    select created_at, expires_at from staged`;
}

const fresh: Statement = {
  name: 'action_insert',
  writes: true,
  text: withAction(`held as (
      insert into intent (intent_hash, tenant_id, action_id) values ($16, $2, $1)
      on conflict do nothing
      returning action_id
    )`),
};

/** The intent goes from the action that no longer holds it, which must still be as it was read. */
const passedOn = `held as (
      update intent i set action_id = $1
      from released r
      where i.intent_hash = $16 and i.tenant_id = $2 and i.action_id = r.id
      returning i.action_id
    )`;

const afterSettled: Statement = {
  name: 'action_insert_after_settled',
  writes: true,
  text: withAction(`released as (
      select a.id from action a where a.id = $18 and a.tenant_id = $2 and a.version = $19
      for no key update
    ), ${passedOn}`),
};

const afterOverdue: Statement = {
  name: 'action_insert_after_overdue',
  writes: true,
  text: withAction(`released as (
      update action a set state = 'EXPIRED', version = a.version + 1, settled_at = now(), sweep_at = null
      where a.id = $18 and a.tenant_id = $2 and a.version = $19
        and a.state = 'PENDING' and a.effect <> 'UNKNOWN' and a.expires_at <= now()
      returning a.id, a.version, a.effect, a.preview_digest
    ), expired as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, preview_digest, at)
      select id, version, $2, 'EXPIRED', 'PENDING', 'EXPIRED', effect, preview_digest, now() from released
    ), ${passedOn}`),
};

const rememberRequest: Statement = {
  name: 'stage_request_insert',
  writes: true,
  text: `insert into stage_request (request_id, credential_id, tenant_id, action_id) values ($1, $2, $3, $4)
    on conflict do nothing
    returning action_id`,
};

/** Each lost race means that somebody else got on; this many in a row mean that something is wrong. */
const tries = 20;

/** See {@link ActionStore.insert}. */
export async function insert(database: Database, action: NewAction): Promise<Inserted> {
  let holder: Observed | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const inserted = await put(database, action, holder);
    if (inserted) return { kind: 'inserted', observed: inserted };
    const requested = await known(database, action);
    if (requested) return { kind: 'requested', observed: requested };
    holder = await findByIntent(database, action.tenantId, action.intentHash);
    if (holder && holds(holder) && (await remember(database, action, holder.action.id)))
      return { kind: 'held', observed: holder };
  }
  throw new Error(`staging ${action.id} lost ${tries} races in a row`);
}

/** A holder in doubt keeps the intent whatever its state is (rule 4); a PENDING one until its expiry. */
function holds(holder: Observed): boolean {
  const { state, effect } = holder.action;
  if (effect === 'UNKNOWN' || state === 'EXECUTING' || state === 'INDETERMINATE') return true;
  return state === 'PENDING' && !isPastExpiry(holder);
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
    return row && stagedOf(action, row);
  } catch (error) {
    if (violatedUnique(error) === 'stage_request_pkey') return undefined;
    throw error;
  }
}

async function known(database: Database, action: NewAction): Promise<Observed | undefined> {
  if (action.requestId === null) return undefined;
  return findByRequestId(database, action.tenantId, action.proposedBy.credentialId, action.requestId);
}

/** Gives the caller's request id to the action that it is told of; false when the id has just gone to another. */
async function remember(database: Database, action: NewAction, holder: ActionId): Promise<boolean> {
  if (action.requestId === null) return true;
  const values = [action.requestId, action.proposedBy.credentialId, action.tenantId, holder];
  return (await database.run(rememberRequest, values)).length > 0;
}

interface StagedRow {
  readonly created_at: Date;
  readonly expires_at: Date;
}

function valuesOf(action: NewAction): unknown[] {
  return [
    action.id,
    action.tenantId,
    action.scope,
    action.userId,
    action.tool,
    action.arguments,
    action.previewDigest,
    action.planId,
    JSON.stringify(action.summary),
    action.risk,
    action.reversible,
    action.endpoint,
    action.ttlMs,
    action.proposedBy.credentialId,
    action.proposedBy.userId,
    action.intentHash,
    action.requestId,
  ];
}

function stagedOf(from: NewAction, row: StagedRow): Observed {
  const { ttlMs: _ttl, intentHash: _hash, requestId: _request, ...proposal } = from;
  const action: Action = {
    ...proposal,
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    attempts: [],
    resultAttempt: null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    settledAt: null,
  };
  return { action, at: row.created_at };
}
