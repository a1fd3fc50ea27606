import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Principal, Role } from '../../domain/principal.ts';
import type { Authenticator } from '../../lifecycle/ports/authenticator.ts';
import type { Database, Statement } from '../database.ts';
import { trustMs } from '../effective.ts';
import { placeOfKey, tenantOfKey } from './key.ts';

/** By the key as it is, and by the one before its rotation while that is taken too; each goes by its own unique index. */
const statement: Statement = {
  name: 'credential_by_key',
  writes: false,
  text: `select id, tenant_id, role, user_id, scopes, hash,
      (extract(epoch from least(expires_at, until) - now()) * 1000)::float8 as left_ms
    from (
      select *, key_hash as hash, null::timestamptz as until from credential where key_hash = $1 and tenant_id = $2
      union all
      select *, previous_key_hash, previous_key_until from credential where previous_key_hash = $1 and tenant_id = $2
    ) credential
    where revoked_at is null and coalesce(least(expires_at, until) > now(), true)`,
};

interface CredentialRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly role: Role;
  readonly user_id: string;
  readonly scopes: readonly string[] | null;
  readonly hash: Buffer;
  /** Milliseconds until it ends by itself; null for never. */
  readonly left_ms: number | null;
}

/** What the database was asked of a key, and may have answered by now. */
interface Asked {
  readonly answer: Promise<Principal | undefined>;
  /** Until when the answer counts, by the monotonic clock. */
  until: number;
}

const rememberAtMost = 10_000;

/**
 * Looks keys up by their hash. The answer for a good one counts for {@link trustMs}, or until the key ends, from before it was
 * asked for; who comes meanwhile waits for the same answer. That a key is unknown is not remembered, so one works from the
 * moment it is made. When the database is away, a key that cannot be asked for is not taken.
 */
export function createAuthenticator(database: Database, now: () => number = () => performance.now()): Authenticator {
  const known = new LRUCache<string, Asked>({ max: rememberAtMost });

  function ask(place: string, tenantId: string): Asked {
    const askedAt = now();
    const answer = look(Buffer.from(place, 'base64'), tenantId).then(
      (row) => {
        if (row === undefined) forget();
        else asked.until = askedAt + Math.min(trustMs, row.left_ms ?? trustMs);
        return row && principalOf(row);
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    const asked: Asked = { answer, until: askedAt + trustMs };
    const forget = () => {
      if (known.peek(place) === asked) known.delete(place);
    };
    known.set(place, asked);
    return asked;
  }

  async function look(hash: Buffer, tenantId: string): Promise<CredentialRow | undefined> {
    const [row] = await database.run<CredentialRow>(statement, [hash, tenantId]);
    return row !== undefined && timingSafeEqual(row.hash, hash) ? row : undefined;
  }

  return {
    recognises: (key) => tenantOfKey(key) !== undefined && known.has(placeOfKey(key)),
    async authenticate(key: string): Promise<Principal | undefined> {
      const tenantId = tenantOfKey(key);
      if (tenantId === undefined) return undefined;
      const place = placeOfKey(key);
      const before = known.get(place);
      return await (before !== undefined && now() < before.until ? before : ask(place, tenantId)).answer;
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
