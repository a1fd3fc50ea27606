import { type Pool, types } from 'pg';
import { breaksConnection, connectError, statementError, wasRolledBackForAnother } from './errors.ts';

/** One SQL operation. With a name it is prepared once per connection, and then costs a third (DESIGN §7). */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Whether a lost answer may hide a commit. */
  readonly writes: boolean;
}

/** Runs single statements, each a transaction of its own. */
export interface Database {
  /** Rejects with the driver's `DatabaseError`, or `StoreUnavailable` when the database is away. */
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

/** After this long without an answer the database counts as away, milliseconds. No statement of ours takes a second. */
const answerTimeoutMs = 15_000;

/** How often a statement is sent again that was rolled back to let another one through. */
const repeats = 5;

/** Over the pool that MikroORM keeps; with pg's own parsers, since MikroORM's leave times as text. */
export function createDatabase(pool: Pool): Database {
  return {
    async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      for (let repeat = 0; ; repeat++) {
        try {
          return await once<Row>(pool, statement, values);
        } catch (error) {
          if (repeat < repeats && wasRolledBackForAnother(error)) continue;
          throw error;
        }
      }
    },
  };
}

async function once<Row extends object>(pool: Pool, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  const { name, text, writes } = statement;
  const client = await pool.connect().catch((error: unknown) => {
    throw connectError(error);
  });
  let broken = false;
  try {
    const query = { name, text, values: [...values], types, query_timeout: answerTimeoutMs };
    return (await client.query<Row>(query)).rows;
  } catch (error) {
    broken = breaksConnection(error);
    throw statementError(error, writes);
  } finally {
    client.release(broken);
  }
}
