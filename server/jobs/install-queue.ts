/** The tables of the job queue. */
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Logger as OurLogger } from 'pino';

/** Any number that nobody else locks on in this database. */
const installLock = 838_438;

/**
 * Makes or upgrades graphile-worker's schema. Replicas that start at once take turns under an advisory lock, and who
 * comes later finds nothing to do.
 */
export async function installQueue(
  databaseUrl: string,
  logger: Pick<OurLogger, 'debug' | 'warn' | 'error'>,
): Promise<void> {
  const way = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-jobs-install',
  };
  // Silence while another replica has its turn looks like one that is gone: the system asks every 10 s.
  const lock = new pg.Client({ ...way, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
  const pool = new pg.Pool({ ...way, max: 1 });
  let lost: Error | undefined;
  lock.on('error', (error) => {
    lost = error;
  });
  // Whatever a connection of the pool was asked tells that it broke.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [installLock]);
    await runMigrations({ pgPool: pool, logger: queueLogger(logger) });
    if (lost) throw lost;
  } finally {
    await pool.end();
    await lock.end();
  }
}

/** Hands graphile-worker's log to ours. It calls every job that it runs news; to an operator that is detail. */
export function queueLogger(logger: Pick<OurLogger, 'debug' | 'warn' | 'error'>): Logger {
  return new Logger((scope) => (level, message, meta) => {
    const ours = level === 'error' || level === 'warning' ? 'warn' : 'debug';
    logger[ours]({ ...scope, err: meta?.error }, message);
  });
}
