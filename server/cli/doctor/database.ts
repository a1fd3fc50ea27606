/** What the database says of itself: whether it is there, and fit to be trusted with the record. */
import type { Client } from 'pg';
import { leastVersion } from '../../store/version.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly database: string;
  readonly standby: boolean;
  readonly readonly: boolean;
  readonly encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  /** Null: plain text. */
  readonly tls: string | null;
}

const facts = `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
  current_user::text as role, current_database()::text as database, pg_is_in_recovery() as standby,
  current_setting('default_transaction_read_only')::bool as readonly, current_setting('server_encoding') as encoding,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  (select s.version from pg_stat_ssl s where s.pid = pg_backend_pid() and s.ssl) as tls`;

export async function checkDatabase(session: Client): Promise<Finding[]> {
  const { rows } = await session.query<Facts>(facts);
  const [seen] = rows;
  if (seen === undefined) throw new Error('PostgreSQL does not say what it is');
  const what = `PostgreSQL ${seen.version}, database ${seen.database}, as ${seen.role}, ${seen.tls === null ? 'in plain text' : `over ${seen.tls}`}`;
  if (seen.number < leastVersion) return [fail('database', what, 'PostgreSQL 14 or newer is needed')];
  if (seen.standby) return [fail('database', `${what}: it is a standby, which takes no writes`, 'name the primary')];
  if (seen.readonly)
    return [
      fail('database', `${what}: transactions are read-only here`, 'unset default_transaction_read_only for the user'),
    ];
  const findings = [ok('database', what)];
  if (seen.encoding !== 'UTF8')
    findings.push(
      fail('database-settings', `its encoding is ${seen.encoding}`, 'make the database with encoding UTF8'),
    );
  const careless = (['fsync', 'full_page_writes'] as const).filter((name) => seen[name] === 'off');
  if (careless.length > 0)
    findings.push(
      fail(
        'database-settings',
        `turned off: ${careless.join(', ')}; a power failure can lose the record`,
        'turn them on',
      ),
    );
  if (seen.synchronous_commit === 'off')
    findings.push(
      fail(
        'database-settings',
        'synchronous_commit is off: a crash of the database can lose what was answered as done: proposals, outcomes, stops, revoked keys (claims wait for the disk all the same)',
        'leave it on for this user and database',
      ),
    );
  if (findings.length === 1) findings.push(ok('database-settings', 'what is committed stays committed'));
  return findings;
}

/** Beside the pool: the job queue's own, and the one that listens. */
const besidePool = 6;

/** Sessions are counted over the whole server, since they share its limit. */
const room = `select
  (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0)) as most,
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as of_role,
  (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as of_database`;

export async function checkConnections(session: Client, pool: number): Promise<Finding[]> {
  const { rows } = await session.query<{
    most: number;
    used: number;
    of_role: number | null;
    of_database: number | null;
  }>(room);
  const [seen] = rows;
  if (seen === undefined) throw new Error('PostgreSQL does not say how many it takes');
  const needed = pool + besidePool;
  const most = Math.min(seen.most, seen.of_role ?? seen.most, seen.of_database ?? seen.most);
  const message = `a server takes up to ${needed} connections; PostgreSQL lets in ${most}, and ${seen.used} are in use`;
  const advice = 'lower TETHER_DATABASE_POOL, or raise max_connections (or the limit of the user or database)';
  if (needed > most) return [fail('connections', message, advice)];
  if (needed > most - seen.used)
    return [warn('connections', `${message}: one more server would not get all of its own`, advice)];
  return [ok('connections', message)];
}

/** Below this the difference is the way there and back, or nobody's trouble. */
const clockWarnMs = 2_000;
const clockFailMs = 60_000;

/** The database's clock decides about time; signatures and tokens go by this machine's. */
export async function checkClock(session: Client, now: () => number = Date.now): Promise<Finding[]> {
  const before = now();
  const { rows } = await session.query<{ ms: number }>(
    `select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
  );
  const after = now();
  const off = Math.round((rows[0]?.ms ?? before) - (before + after) / 2);
  const sure = Math.max(0, Math.abs(off) - (after - before) / 2);
  const message = `this machine's clock is ${Math.abs(off) / 1000} s ${off > 0 ? 'behind' : 'ahead of'} the database's`;
  const advice =
    'let both follow a time server: endpoints refuse signatures that are five minutes off, and tokens end by the clock';
  if (sure >= clockFailMs) return [fail('clock', message, advice)];
  return [
    sure >= clockWarnMs
      ? warn('clock', message, advice)
      : ok('clock', 'this machine and the database agree about the time'),
  ];
}
