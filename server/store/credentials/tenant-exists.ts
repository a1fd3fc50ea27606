import type { Database, Statement } from '../database.ts';

const statement: Statement = { writes: false, text: 'select from tenant where id = $1' };

/** Whether there is a tenant of that id. */
export async function tenantExists(database: Database, tenantId: string): Promise<boolean> {
  return (await database.run(statement, [tenantId])).length > 0;
}
