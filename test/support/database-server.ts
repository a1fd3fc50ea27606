/** What is done to the test server as a whole; used by the global setup, where vitest's own API is not at hand. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** The migrated database that others are cloned from. */
export const template = 'tether_template';

/** Makes a database from a template; waits while another session uses the template. */
export async function createDatabaseNamed(server: string, name: string, from: string): Promise<void> {
  for (let triesLeft = 50; ; triesLeft--) {
    try {
      return await administer(server, `create database ${name} template ${from} ${await copyingFiles(server)}`);
    } catch (error) {
      const busy = error instanceof pg.DatabaseError && error.code === '55006';
      if (!busy || triesLeft === 0) throw error;
      await delay(20);
    }
  }
}

/** When fsync is off it beats writing each page to the WAL, the default since PostgreSQL 15; before, it is all there is. */
async function copyingFiles(server: string): Promise<string> {
  const [row] = await askServer<{ server_version_num: string }>(server, 'show server_version_num');
  return Number(row?.server_version_num) >= 150_000 ? 'strategy file_copy' : '';
}

/**
 * Drops a database. PostgreSQL itself waits up to 5 s for connections that are closing: cut off, their clients would raise
 * an error that nobody listens for any more. Only who stays beyond that is cut off.
 */
export async function dropDatabaseNamed(server: string, name: string): Promise<void> {
  try {
    await administer(server, `drop database if exists ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '55006') throw error;
    await administer(server, `drop database if exists ${name} with (force)`);
  }
}

/** The URL of another database on the same server. */
export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs one statement on the server's own database. */
export async function administer(server: string, sql: string): Promise<void> {
  await askServer(server, sql);
}

/** The rows of one statement on the server's own database. */
export async function askServer<Row extends pg.QueryResultRow>(server: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: urlOf(server, 'postgres') });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
