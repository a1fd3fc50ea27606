import { type Pool, type PoolClient, types } from 'pg';
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

/** Runs several statements as one transaction. */
export interface Transactions {
  /** Nothing of it stays when `work` rejects. Rejects as `run` does; no statement of it is sent again. */
  transaction<T>(work: (run: Database['run']) => Promise<T>): Promise<T>;
}

/** After this long without an answer the database counts as away, milliseconds. No statement of ours takes a second. */
const answerTimeoutMs = 15_000;

/** How often a statement is sent again that was rolled back to let another one through. */
const repeats = 5;

/** Over the pool that MikroORM keeps; with pg's own parsers, since MikroORM's leave times as text. */
export function createDatabase(pool: Pool): Database & Transactions {
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
    // MikroORM's own keeps a connection for ever that breaks in its commit.
    async transaction(work) {
      const client = await connect(pool);
      let broken = false;
      const run = async <Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
        try {
          return await send<Row>(client, statement, values);
        } catch (error) {
          broken ||= breaksConnection(error);
          throw statementError(error, statement.writes);
        }
      };
      try {
        await run(begin, []);
        const done = await work(run);
        await run(commit, []);
        return done;
      } catch (error) {
        if (!broken) await run(rollback, []).catch(() => undefined);
        throw error;
      } finally {
        client.release(broken);
      }
    },
  };
}

const begin: Statement = { writes: false, text: 'begin' };
const commit: Statement = { writes: true, text: 'commit' };
const rollback: Statement = { writes: false, text: 'rollback' };

async function once<Row extends object>(pool: Pool, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  const client = await connect(pool);
  let broken = false;
  try {
    return await send<Row>(client, statement, values);
  } catch (error) {
    broken = breaksConnection(error);
    throw statementError(error, statement.writes);
  } finally {
    client.release(broken);
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    // The driver reads the files of certificates for each connection, and throws at once when one is gone.
    throw connectError(error);
  }
}

async function send<Row extends object>(
  client: PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { name, text, values: [...values], types, query_timeout: answerTimeoutMs };
  return (await client.query<Row>(query)).rows;
}
