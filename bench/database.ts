import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../server/store/embedded/embedded.ts';
import { migrate } from '../server/store/migrate.ts';

/** A PostgreSQL of the benchmark's own, as a fresh install has it: embedded, default settings, fsync on. */
export interface DatabaseServer {
  /** A folder of the run's own, removed at the end. */
  readonly directory: string;
  /** Makes a database with the current schema and returns its URL. */
  create(name: string, options?: { readonly trackStatements?: boolean }): Promise<string>;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

export async function startDatabaseServer(settings: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tether-bench-'));
  try {
    const embedded = await startEmbedded({
      dataDir: directory,
      // Loaded, and counting only in a database that asks for it: the timed runs are not slowed by it.
      settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'none', ...settings },
    });
    const client = new pg.Client({ connectionString: embedded.ownerUrl });
    await client.connect();
    return {
      directory,
      async create(name, { trackStatements = false } = {}) {
        await client.query(`create database ${client.escapeIdentifier(name)} template template0`);
        const url = new URL(embedded.ownerUrl);
        url.pathname = `/${name}`;
        if (trackStatements) {
          await client.query(`alter database ${client.escapeIdentifier(name)} set pg_stat_statements.track = 'top'`);
          await client.query('create extension if not exists pg_stat_statements');
        }
        await migrate(url.href);
        return url.href;
      },
      async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) {
        return (await client.query<Row>(sql, values)).rows;
      },
      async stop() {
        await client.end();
        await embedded.stop();
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
