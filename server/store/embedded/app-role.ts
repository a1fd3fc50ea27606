/** The role that the server runs as in its embedded PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Home } from './home.ts';

const name = 'tether_app';

/** Any number, so long as all servers use the same; in the database `postgres`. */
const roleLock = 7_483_002;

/**
 * Sees to it that there is a role which owns nothing and may log in with the password in the data directory, also in data that
 * an earlier version made, and whatever became of role or file meanwhile. What it may do with our tables is granted after each
 * migration.
 *
 * The file is written when the role has its password: who dies in between leaves no file, and the next start makes a new one.
 *
 * @param session of the superuser.
 */
export async function ensureAppRole(session: pg.Client, home: Home): Promise<{ name: string; password: string }> {
  await session.query('select pg_advisory_lock($1)', [roleLock]);
  try {
    const kept = await readPassword(home);
    const password = kept ?? randomBytes(24).toString('hex');
    const { rowCount } = await session.query('select from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) await session.query(`create role ${name}`);
    await session.query(
      `alter role ${name} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
    );
    if (kept === undefined) await writePassword(home, password);
    return { name, password };
  } finally {
    await session.query('select pg_advisory_unlock($1)', [roleLock]);
  }
}

/** Undefined when there is none, or what is there is none of ours. */
async function readPassword(home: Home): Promise<string | undefined> {
  const text = await readFile(home.appPassword, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  return /^[0-9a-f]{48}$/.exec(text.trim())?.[0];
}

/** Whole or not at all; for whoever owns the superuser's. */
async function writePassword(home: Home, password: string): Promise<void> {
  const draft = `${home.appPassword}.${process.pid}`;
  await writeFile(draft, `${password}\n`, { mode: 0o600 });
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(home.password);
    await chown(draft, uid, gid);
  }
  await rename(draft, home.appPassword);
}
