import { readFileSync } from 'node:fs';
import pg from 'pg';

const sql = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** Connects to the shop's database; makes and fills its tables when there are none. */
export async function openDatabase(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
  });
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
  pool.on('error', (error) => process.stderr.write(`an idle database connection broke: ${error.message}\n`));
  try {
    await inTransaction(pool, async (db) => {
      await db.query("select pg_advisory_xact_lock(hashtext('point-of-sale schema'))");
      await db.query(sql('schema.sql'));
      const { rowCount } = await db.query('select from items limit 1');
      if (rowCount === 0) await db.query(sql('seed.sql'));
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return pool;
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
export async function inTransaction<T>(pool: pg.Pool, work: (db: pg.ClientBase) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  let broken: Error | undefined;
  try {
    await db.query('begin');
    const result = await work(db);
    await db.query('commit');
    return result;
  } catch (error) {
    await db.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    db.release(broken);
  }
}
