/** Databases for tests: real ones, migrated, one per test file. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabaseNamed, dropDatabaseNamed, template, urlOf } from './database-server.ts';

/** A database of one test file's own. */
export interface TestDatabase {
  /** As the superuser, who owns the tables. */
  readonly url: string;
  /** As the role that a server runs as, which owns nothing. */
  readonly appUrl: string;
  /** Runs SQL beside the code under test. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The same with all triggers off, which only a superuser can do: the trail, which nothing else changes. */
  forge(sql: string, params?: readonly unknown[]): Promise<void>;
  /** Removes the database, with whatever is still connected to it. */
  drop(): Promise<void>;
}

/**
 * Makes a database with the current schema, in some 30 ms. Call it in `beforeAll` and `drop` it in `afterAll`.
 *
 * @param options.empty true for one without any schema.
 */
export async function createDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createDatabaseNamed(server, name, options.empty === true ? 'template0' : template);
  const url = urlOf(server, name);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // An idle connection that a test cuts on purpose must not end the test's process; queries still tell.
  pool.on('error', () => undefined);
  return {
    url,
    appUrl: urlOf(inject('databaseServerAsApp'), name),
    async query<Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      return (await pool.query<Row>(sql, [...params])).rows;
    },
    async forge(sql: string, params: readonly unknown[] = []): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query('set session_replication_role = replica');
        await client.query(sql, [...params]);
        await client.query('reset session_replication_role');
      } finally {
        client.release();
      }
    },
    async drop() {
      await pool.end();
      await dropDatabaseNamed(server, name);
    },
  };
}
