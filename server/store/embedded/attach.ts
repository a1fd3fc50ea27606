/** Finding a PostgreSQL that runs already, and counting ourselves among its users. */

import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ensureAppRole } from './app-role.ts';
import type { Home } from './home.ts';
import { readPidFile } from './pid-file.ts';

/** The database that holds everything; the server makes it. */
const database = 'tether';
const user = 'tether';

/** The driver fills in from the environment (PGSSLMODE, PGSSLNEGOTIATION, PGOPTIONS) whatever an address leaves open or empty. */
const undisturbed = 'sslmode=disable&sslnegotiation=postgres&options=%20';

/** Any number, so long as all servers use the same; in the database `postgres`, where nothing else takes locks. */
const usersLock = 7_483_001;

/** A running PostgreSQL of ours. */
export interface Attached {
  readonly home: Home;
  /** As the role that the server runs as, which owns nothing. */
  readonly url: string;
  /** As the superuser, who owns the tables. */
  readonly ownerUrl: string;
  readonly pid: number;
  readonly port: number;
  /** Holds our share of the lock that tells that somebody still uses this PostgreSQL. */
  readonly session: pg.Client;
}

/**
 * Attaches to the PostgreSQL that runs on this home, whoever started it; undefined when there is none that is ready.
 *
 * It is ours when it knows our password and we know its (SCRAM proves both), and when it says that it works on the same
 * directory: a copied data directory holds the password and the pid file of the original.
 */
export async function attach(home: Home): Promise<Attached | undefined> {
  const file = await readPidFile(home);
  if (file?.port === undefined || !file.ready) return undefined;
  const password = (await readFile(home.password, 'utf8')).trim();
  const urlOf = (name: string, word: string, of: string) =>
    `postgres://${name}:${word}@127.0.0.1:${file.port}/${of}?${undisturbed}`;
  const session = new pg.Client({
    connectionString: urlOf(user, password, 'postgres'),
    application_name: 'tether embedded',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A session that ends is told by its event `end` and by its queries; without a listener the process would crash.
  session.on('error', () => undefined);
  try {
    await session.connect();
    if ((await worksOn(session, home)) && (await share(session))) {
      await ensureDatabase(session);
      const app = await ensureAppRole(session, home);
      const urls = { url: urlOf(app.name, app.password, database), ownerUrl: urlOf(user, password, database) };
      return { home, ...urls, pid: file.pid, port: file.port, session };
    }
  } catch (error) {
    if (!meansNotThere(error)) throw error;
  }
  await session.end().catch(() => undefined);
  return undefined;
}

async function worksOn(session: pg.Client, home: Home): Promise<boolean> {
  const { rows } = await session.query<{ data_directory: string }>('show data_directory');
  const theirs = await stat(rows[0]?.data_directory ?? '').catch(() => undefined);
  const ours = await stat(home.data);
  return theirs?.dev === ours.dev && theirs.ino === ours.ino;
}

async function share(session: pg.Client): Promise<boolean> {
  const { rows } = await session.query<{ got: boolean }>('select pg_try_advisory_lock_shared($1) as got', [usersLock]);
  return rows[0]?.got === true;
}

/** How long PostgreSQL may take to notice that a server which held a share has died. */
const noticeMs = 2_000;

/** Gives up our share; true when nobody else uses this PostgreSQL, and then nobody can begin to. */
export async function leave(session: pg.Client): Promise<boolean> {
  await session.query('select pg_advisory_unlock_shared($1)', [usersLock]);
  const giveUpAt = performance.now() + noticeMs;
  for (;;) {
    const got = await lockAlone(session);
    if (got || performance.now() >= giveUpAt) return got;
    await delay(50);
  }
}

/** False also when the session ends meanwhile: then another one that left is stopping PostgreSQL. */
async function lockAlone(session: pg.Client): Promise<boolean> {
  try {
    const { rows } = await session.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [usersLock]);
    return rows[0]?.got === true;
  } catch {
    return false;
  }
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query('select from pg_database where datname = $1', [database]);
  if (rowCount !== 0) return;
  try {
    await session.query(`create database ${database}`);
  } catch (error) {
    // Another server was faster: duplicate_database, or the unique index behind it.
    if (!(error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505'))) throw error;
  }
}

/** Nobody listens, somebody else does, or PostgreSQL is starting or stopping. */
function meansNotThere(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return ['57P01', '57P02', '57P03', '28P01', '28000', '3D000'].includes(error.code ?? '');
  }
  // The socket's errors, and those that pg raises when a connection ends or answers nonsense, have no SQLSTATE.
  return true;
}
