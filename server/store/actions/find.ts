import type { ActionId, Observed } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

const byId: Statement = {
  name: 'action_now',
  writes: false,
  text: `select ${observedColumns} from action a where a.id = $1 and a.tenant_id = $2`,
};

// Not joins: a plan made for a join while the tables were empty reads all of `action`, and is kept (DESIGN §7).
const byIdempotencyKey: Statement = {
  name: 'action_by_idempotency_key',
  writes: false,
  text: `select ${observedColumns} from action a
    where a.tenant_id = $3 and a.id = (
      select k.action_id from confirm_key k where k.idempotency_key = $1 and k.user_id = $2 and k.tenant_id = $3)`,
};

const byRequestId: Statement = {
  name: 'action_by_request_id',
  writes: false,
  text: `select ${observedColumns} from action a
    where a.tenant_id = $3 and a.id = (
      select r.action_id from stage_request r
      where r.request_id = $1 and r.credential_id = $2 and r.tenant_id = $3)`,
};

const byIntent: Statement = {
  name: 'action_by_intent',
  writes: false,
  text: `select ${observedColumns} from action a
    where a.tenant_id = $2 and a.id = (
      select i.action_id from intent i where i.intent_hash = $1 and i.tenant_id = $2)`,
};

export function find(database: Database, tenantId: string, id: ActionId): Promise<Observed | undefined> {
  return one(database, byId, [id, tenantId]);
}

export function findByIdempotencyKey(
  database: Database,
  tenantId: string,
  userId: string,
  key: string,
): Promise<Observed | undefined> {
  return one(database, byIdempotencyKey, [key, userId, tenantId]);
}

export function findByRequestId(
  database: Database,
  tenantId: string,
  credentialId: string,
  requestId: string,
): Promise<Observed | undefined> {
  return one(database, byRequestId, [requestId, credentialId, tenantId]);
}

/** The action that holds an intent, or was the last to hold it. */
export function findByIntent(
  database: Database,
  tenantId: string,
  intentHash: Uint8Array,
): Promise<Observed | undefined> {
  return one(database, byIntent, [intentHash, tenantId]);
}

async function one(database: Database, statement: Statement, values: unknown[]): Promise<Observed | undefined> {
  const [row] = await database.run<ObservedRow>(statement, values);
  return row && observedOf(row);
}
