import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Principal, Role } from '../../domain/principal.ts';
import type { Authenticator } from '../../lifecycle/ports.ts';
import type { Database, Statement } from '../database.ts';
import { hashOfKey, tenantOfKey } from './key.ts';

const statement: Statement = {
  name: 'credential_by_key',
  writes: false,
  text: `select id, tenant_id, role, user_id, scopes, key_hash from credential where key_hash = $1 and tenant_id = $2`,
};

interface CredentialRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly role: Role;
  readonly user_id: string;
  readonly scopes: readonly string[] | null;
  readonly key_hash: Buffer;
}

/** How long a good key is taken as good without asking again, milliseconds: so long a revoked one may still work. */
const rememberMs = 5_000;
const rememberAtMost = 10_000;

/**
 * Looks keys up by their hash. Good ones are remembered for 5 s, by their hash, so that not every call asks the database;
 * unknown ones are not, so a key works from the moment it is made.
 */
export function createAuthenticator(database: Database): Authenticator {
  const known = new LRUCache<string, Principal>({ max: rememberAtMost, ttl: rememberMs });
  return {
    async authenticate(key: string): Promise<Principal | undefined> {
      const tenantId = tenantOfKey(key);
      if (tenantId === undefined) return undefined;
      const hash = hashOfKey(key);
      const place = hash.toString('base64');
      const remembered = known.get(place);
      if (remembered) return remembered;
      const [row] = await database.run<CredentialRow>(statement, [hash, tenantId]);
      if (row === undefined || !timingSafeEqual(row.key_hash, hash)) return undefined;
      const principal = principalOf(row);
      known.set(place, principal);
      return principal;
    },
  };
}

function principalOf(row: CredentialRow): Principal {
  return {
    tenantId: row.tenant_id,
    credentialId: row.id,
    userId: row.user_id,
    role: row.role,
    scopes: row.scopes,
  };
}
