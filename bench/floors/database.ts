import pg from 'pg';
import { given } from '../children.ts';
import { poolSize } from '../contender.ts';

/** The contender's own pool. Idle connections are kept from turn to turn, as those of a busy server are. */
export const pool = new pg.Pool({
  connectionString: given('BENCH_DATABASE_URL'),
  max: poolSize,
  idleTimeoutMillis: 0,
});

/** Runs a prepared statement that must come to one row, and returns it. */
export async function one<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row> {
  const [row] = (await pool.query<Row>({ name, text, values })).rows;
  if (row === undefined) throw new Error(`${name} came to no row`);
  return row;
}
