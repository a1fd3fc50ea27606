import pg from 'pg';

/** The revision of the queue's tables that the graphile-worker of this version makes; a test holds it against the package. */
const revision = 20;

/**
 * Whether the queue's tables are there and recent enough for this version. Reads only; rejects with the driver's error when the
 * database cannot be reached or may not be read.
 */
export async function queueIsCurrent(databaseUrl: string): Promise<boolean> {
  const session = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-jobs-install',
  });
  session.on('error', () => undefined);
  await session.connect();
  try {
    const { rows: found } = await session.query<{ there: boolean }>(
      `select to_regclass('graphile_worker.migrations') is not null as there`,
    );
    if (found[0]?.there !== true) return false;
    const { rows } = await session.query<{ id: number | null }>('select max(id) as id from graphile_worker.migrations');
    return (rows[0]?.id ?? 0) >= revision;
  } finally {
    await session.end();
  }
}
