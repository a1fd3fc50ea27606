import type { Credential, CredentialPlace, Credentials } from '../../lifecycle/ports/credentials.ts';
import type { Database, Statement } from '../database.ts';
import { type CredentialRow, credentialColumns, credentialOf } from './row.ts';

/** No index serves it: an operator's rare call, on a table of keys. Rows are never deleted, so a cursor stays good. */
const page: Statement = {
  writes: false,
  text: `select ${credentialColumns} from credential c
    where c.tenant_id = $1 and ($2::uuid is null
      or (c.created_at, c.id) < (select b.created_at, b.id from credential b where b.id = $2 and b.tenant_id = $1))
    order by c.created_at desc, c.id desc limit $3`,
};

const one: Statement = {
  writes: false,
  text: `select ${credentialColumns} from credential c where c.id = $1 and c.tenant_id = $2`,
};

/** See {@link Credentials.list}. */
export async function listCredentials(
  database: Database,
  { tenantId, after, limit }: Parameters<Credentials['list']>[0],
): Promise<{ readonly credentials: readonly Credential[]; readonly more: boolean }> {
  const rows = await database.run<CredentialRow>(page, [tenantId, after, limit + 1]);
  return { credentials: rows.slice(0, limit).map(credentialOf), more: rows.length > limit };
}

/** As it is now; undefined when the tenant has none of that id. */
export async function findCredential(
  database: Database,
  { tenantId, credentialId }: CredentialPlace,
): Promise<Credential | undefined> {
  const [row] = await database.run<CredentialRow>(one, [credentialId, tenantId]);
  return row && credentialOf(row);
}
