import { Client } from 'pg';

/** Any number that nobody else locks on in this database: "tether" on a telephone's keys. */
const migrationLock = 838_437;

/**
 * Does work on a database that one process at a time may do; others wait for their turn. The lock is the session's, so it goes when
 * the process dies. Rejects when the session was lost meanwhile, since then somebody else may have begun.
 */
export async function alone<T>(url: string, work: (session: Client) => Promise<T>): Promise<T> {
  const session = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-migrate',
    // Silence while another replica has its turn looks like one that is gone: the system asks every 10 s.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  let lost: Error | undefined;
  session.on('error', (error) => {
    lost = error;
  });
  await session.connect();
  try {
    await session.query('select pg_advisory_lock($1)', [migrationLock]);
    const done = await work(session);
    if (lost) throw lost;
    return done;
  } finally {
    await session.end();
  }
}
