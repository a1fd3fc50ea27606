import { Client } from 'pg';
import { createOrm } from './orm.ts';

/** Any number that nobody else locks on in this database: "tether" on a telephone's keys. */
const migrationLock = 838_437;

/**
 * Brings the database at `url` up to the schema of this version. Safe when several replicas start at once: they take
 * turns under an advisory lock, and who comes later finds nothing to do. Rejects with the driver's error when the
 * database cannot be reached or a migration fails (each one whole or not at all).
 */
export async function migrate(url: string): Promise<void> {
  const lock = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-migrate',
  });
  let lost: Error | undefined;
  lock.on('error', (error) => {
    lost = error;
  });
  await lock.connect();
  try {
    // The migrator itself takes no lock. This one is the session's, so it goes when the process dies.
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    const orm = createOrm({ url, poolSize: 1 });
    try {
      await orm.migrator.up();
    } finally {
      await orm.close(true);
    }
    if (lost) throw lost;
  } finally {
    await lock.end();
  }
}
