import { randomUUID } from 'node:crypto';
import { type Role, roles } from '../../domain/principal.ts';
import type { Statement, Transactions } from '../database.ts';
import { hashOfKey, isTenantId, newKey, prefixOfKey } from './key.ts';

/** One plain key per role of a tenant. They are told once; only their hashes are kept. */
export type Keys = { readonly tenant: string } & { readonly [R in Role]: string };

const insertTenant: Statement = { writes: true, text: 'insert into tenant (id) values ($1)' };

const insertCredential: Statement = {
  writes: true,
  text: `with c as (
      insert into credential (id, tenant_id, role, user_id, key_hash, prefix) values ($1, $2, $3, $4, $5, $6) returning *
    )
    insert into admin_event (tenant_id, subject, type, detail)
    select tenant_id, id, 'CREDENTIAL_CREATED', json_build_object('prefix', prefix, 'role', role, 'user_id', user_id,
      'scopes', scopes, 'name', name, 'expires_at', expires_at)::text from c`,
};

/**
 * Makes a tenant and one key per role, for all scopes; the users are called `<tenant>-<role>`. Together or not at all:
 * `keep` is handed the keys before the commit, and when it rejects nothing is made.
 * Rejects with RangeError for an id that is not `[a-z0-9][a-z0-9-]{0,62}`, and with the driver's
 * error of a unique violation when there is such a tenant.
 */
export async function createTenant(
  database: Transactions,
  tenantId: string,
  keep?: (keys: Keys) => Promise<void>,
): Promise<Keys> {
  if (!isTenantId(tenantId)) throw new RangeError(`a tenant's id is [a-z0-9][a-z0-9-]{0,62}, not "${tenantId}"`);
  const keys: Keys = {
    tenant: tenantId,
    agent: newKey(tenantId),
    approver: newKey(tenantId),
    operator: newKey(tenantId),
  };
  await database.transaction(async (run) => {
    await run(insertTenant, [tenantId]);
    for (const role of roles) {
      const key = keys[role];
      const user = `${tenantId}-${role}`;
      await run(insertCredential, [randomUUID(), tenantId, role, user, hashOfKey(key), prefixOfKey(key)]);
    }
    await keep?.(keys);
  });
  return keys;
}
