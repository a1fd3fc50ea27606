import type { Actor } from '../../domain/action.ts';
import type { CredentialPlace, Revocation } from '../../lifecycle/ports/credentials.ts';
import type { Database, Statement } from '../database.ts';
import { everywhere } from '../effective.ts';
import { findCredential } from './list.ts';
import { type CredentialRow, credentialColumns, credentialOf } from './row.ts';

/**
 * `managers` are those who could still manage the tenant's credentials. All of them are locked, so that of two who revoke each
 * other at the same time the later one sees what the earlier one did. The hash goes too, so that a server of an earlier version,
 * which knows of no revocation, does not find the key either.
 */
const statement: Statement = {
  writes: true,
  text: `with managers as materialized (
      select id from credential
      where tenant_id = $2 and role = 'operator' and scopes is null and revoked_at is null
        and coalesce(expires_at > now(), true)
      order by id for update
    ), c as (
      update credential set revoked_at = clock_timestamp(), key_hash = sha256(gen_random_uuid()::text::bytea),
        previous_key_hash = null, previous_key_until = null
      where id = $1 and tenant_id = $2 and revoked_at is null
        and (id not in (select id from managers) or exists (select from managers m where m.id <> $1))
      returning *
    ), told as (
      insert into admin_event (tenant_id, subject, type, actor_credential, actor_user, detail)
      select tenant_id, id, 'CREDENTIAL_REVOKED', $3, $4, json_build_object('prefix', prefix)::text from c
    )
    select ${credentialColumns} from c`,
};

/** See {@link Credentials.revoke}. Again is the same, and waits again: the answer to the first may have been lost. */
export async function revokeCredential(database: Database, which: CredentialPlace, by: Actor): Promise<Revocation> {
  const values = [which.credentialId, which.tenantId, by.credentialId, by.userId];
  const [row] = await database.run<CredentialRow>(statement, values);
  const revoked = row === undefined ? await findCredential(database, which) : credentialOf(row);
  if (revoked === undefined) return { kind: 'not-found' };
  if (revoked.revokedAt === null) return { kind: 'last-operator' };
  await everywhere();
  return { kind: 'revoked', credential: revoked };
}
