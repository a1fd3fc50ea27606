import pg from 'pg';
import { afterAll, beforeEach } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { createActionStore } from '../../server/store/actions/store.ts';
import { type Database, type Statement, createDatabase as throughPool } from '../../server/store/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** An action store over one connection, with a list of the statements that it ran. */
export interface Recorded {
  readonly store: ActionStore;
  readonly database: Database;
  readonly pool: pg.Pool;
  readonly ran: { readonly statement: Statement; readonly values: readonly unknown[] }[];
  /** The tenants whose trail was said to have got longer. */
  readonly told: string[];
  /** Is waited for before the statement of that name is sent. */
  readonly before: Map<string, () => Promise<void>>;
}

export function createRecorded(url: string, options = ''): Recorded {
  const pool = new pg.Pool({ connectionString: url, max: 1, options, idleTimeoutMillis: 0 });
  const plain = throughPool(pool);
  const ran: { statement: Statement; values: readonly unknown[] }[] = [];
  const before = new Map<string, () => Promise<void>>();
  const database: Database = {
    async run(statement, values) {
      ran.push({ statement, values });
      await before.get(statement.name ?? '')?.();
      return plain.run(statement, values);
    },
  };
  const told: string[] = [];
  const store = createActionStore(database, (tenantId) => void told.push(tenantId));
  return { store, database, pool, ran, told, before };
}

/** A database and a recorded store for the tests of one file; what was run is forgotten before each. */
export async function recordedOfThisFile(): Promise<{
  readonly database: TestDatabase;
  readonly recorded: Recorded;
}> {
  const database = await createDatabase();
  const recorded = createRecorded(database.url);
  beforeEach(() => {
    recorded.ran.length = 0;
  });
  afterAll(async () => {
    await recorded.pool.end();
    await database.drop();
  });
  return { database, recorded };
}
