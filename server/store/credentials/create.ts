import { randomUUID } from 'node:crypto';
import type { Actor } from '../../domain/action.ts';
import type { Creation, NewCredential } from '../../lifecycle/ports/credentials.ts';
import type { Database, Statement } from '../database.ts';
import { hashOfKey, isTenantId, newKey, prefixOfKey } from './key.ts';
import { type CredentialRow, credentialColumns, credentialOf } from './row.ts';

/** The tenant if one is wanted, the credential and its event: all of them or none, and none for a key that would never work. */
const statement: Statement = {
  writes: true,
  text: `with fresh as (
      insert into tenant (id) select $1 where $12 and coalesce($7::timestamptz > now(), true) on conflict do nothing returning id
    ), home as (
      select id from fresh union all select id from tenant where id = $1 and not $12
    ), c as (
      insert into credential (id, tenant_id, role, user_id, scopes, name, expires_at, key_hash, prefix)
      select $2, id, $3, $4, $5, $6, $7, $8, $9 from home where coalesce($7 > now(), true)
      returning *
    ), told as (
      insert into admin_event (tenant_id, subject, type, actor_credential, actor_user, detail)
      select tenant_id, id, 'CREDENTIAL_CREATED', $10, $11, json_build_object('prefix', prefix, 'role', role, 'user_id', user_id,
        'scopes', scopes, 'name', name, 'expires_at', expires_at)::text from c
    )
    select not coalesce($7 > now(), true) as past, ${credentialColumns} from (values (1)) one left join c on true`,
};

type Row = { readonly past: boolean } & (CredentialRow | { readonly id: null });

/** See {@link Credentials.create}. */
export async function createCredential(
  database: Database,
  { tenantId, role, userId, scopes, name, expiresAt }: NewCredential,
  by: Actor,
  newTenant: boolean,
): Promise<Creation> {
  if (!isTenantId(tenantId)) throw new RangeError(`a tenant's id is [a-z0-9][a-z0-9-]{0,62}, not "${tenantId}"`);
  const key = newKey(tenantId);
  const stored = [hashOfKey(key), prefixOfKey(key)];
  const who = [by.credentialId, by.userId];
  const values = [tenantId, randomUUID(), role, userId, scopes, name, expiresAt, ...stored, ...who, newTenant];
  const [row] = await database.run<Row>(statement, values);
  if (row !== undefined && row.id !== null) return { kind: 'created', credential: credentialOf(row), key };
  if (row?.past === true) return { kind: 'past' };
  return { kind: newTenant ? 'tenant-exists' : 'no-tenant' };
}
