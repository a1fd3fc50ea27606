import type { Actor } from '../../domain/action.ts';
import type { CredentialPlace, Rotation } from '../../lifecycle/ports/credentials.ts';
import type { Database, Statement } from '../database.ts';
import { everywhere } from '../effective.ts';
import { hashOfKey, newKey, prefixOfKey } from './key.ts';
import { findCredential } from './list.ts';
import { type CredentialRow, credentialColumns, credentialOf } from './row.ts';

const statement: Statement = {
  writes: true,
  text: `with c as (
      update credential set key_hash = $3, prefix = $4, rotated_at = clock_timestamp(),
        previous_key_hash = case when $5::float8 > 0 then key_hash end,
        previous_key_until = case when $5 > 0 then clock_timestamp() + $5 * interval '1 millisecond' end
      where id = $1 and tenant_id = $2 and revoked_at is null and coalesce(expires_at > now(), true)
      returning *
    ), told as (
      insert into admin_event (tenant_id, subject, type, actor_credential, actor_user, detail)
      select tenant_id, id, 'CREDENTIAL_ROTATED', $6, $7,
        json_build_object('prefix', prefix, 'previous_key_until', previous_key_until)::text from c
    )
    select ${credentialColumns} from c`,
};

/** See {@link Credentials.rotate}. */
export async function rotateCredential(
  database: Database,
  which: CredentialPlace & { readonly overlapMs: number },
  by: Actor,
): Promise<Rotation> {
  const { tenantId, credentialId, overlapMs } = which;
  const key = newKey(tenantId);
  const values = [credentialId, tenantId, hashOfKey(key), prefixOfKey(key), overlapMs, by.credentialId, by.userId];
  const [row] = await database.run<CredentialRow>(statement, values);
  if (row === undefined) {
    const found = await findCredential(database, which);
    return found === undefined ? { kind: 'not-found' } : { kind: 'over', credential: found };
  }
  await everywhere();
  return { kind: 'rotated', credential: credentialOf(row), key };
}
