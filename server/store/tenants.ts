import type { Database, Statement } from './database.ts';

const statement: Statement = { writes: false, text: 'select id from tenant order by id' };

/** The ids of all tenants, in their order: for who runs the installation, never for a tenant's own. */
export async function listTenants(database: Database): Promise<readonly string[]> {
  return (await database.run<{ id: string }>(statement, [])).map(({ id }) => id);
}
