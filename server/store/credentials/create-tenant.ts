import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Role, roles } from '../../domain/principal.ts';
import type { AdminEventType } from '../../lifecycle/ports/admin-events.ts';
import { AdminEventEntity } from '../entities/admin-event.ts';
import { CredentialEntity } from '../entities/credential.ts';
import { TenantEntity } from '../entities/tenant.ts';
import { hashOfKey, isTenantId, newKey, prefixOfKey } from './key.ts';

/** One plain key per role of a tenant. They are told once; only their hashes are kept. */
export type Keys = { readonly tenant: string } & { readonly [R in Role]: string };

/**
 * Makes a tenant and one key per role, for all scopes; the users are called `<tenant>-<role>`. Together or not at all:
 * `keep` is handed the keys before the commit, and when it rejects nothing is made.
 * Rejects with RangeError for an id that is not `[a-z0-9][a-z0-9-]{0,62}`, and with MikroORM's
 * `UniqueConstraintViolationException` when there is such a tenant.
 */
export async function createTenant(
  em: EntityManager,
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
  await em.transactional(async (transaction) => {
    await transaction.insert(TenantEntity, { id: tenantId });
    const credentials = roles.map((role) => ({
      id: randomUUID(),
      tenantId,
      role,
      userId: `${tenantId}-${role}`,
      scopes: null,
      keyHash: hashOfKey(keys[role]),
      prefix: prefixOfKey(keys[role]),
    }));
    await transaction.insertMany(CredentialEntity, credentials);
    await transaction.insertMany(
      AdminEventEntity,
      credentials.map(({ id, role, userId: user_id, scopes, prefix }) => ({
        tenantId,
        subject: id,
        type: 'CREDENTIAL_CREATED' satisfies AdminEventType,
        detail: JSON.stringify({ prefix, role, user_id, scopes, name: '', expires_at: null }),
      })),
    );
    await keep?.(keys);
  });
  return keys;
}
