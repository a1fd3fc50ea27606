import type { Pool, PoolClient } from 'pg';
import { type SqlLedger, type SqlLedgerOptions, sqlLedger } from './sql.ts';
import type { Begin, Executor } from './transactions.ts';

/**
 * A ledger for users of `pg`; `call.tx` is the client of the transaction. Instead of a pool it can be a function that opens the
 * transaction, READ COMMITTED, in your own way:
 *
 *   pgLedger((work) => withTenant(pool, (client) => work(client)))
 */
export function pgLedger(source: Pool | Begin<PoolClient>, options?: SqlLedgerOptions): SqlLedger<PoolClient> {
  const transaction: Begin<PoolClient> = typeof source === 'function' ? source : (work) => inTransaction(source, work);
  return sqlLedger<PoolClient>({ transaction, executor: pgExecutor }, options);
}

/** Statements over a client of `pg`. */
export function pgExecutor(client: Pick<PoolClient, 'query'>): Executor {
  return { query: async (sql, params) => (await client.query(sql, [...params])).rows };
}

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks while the handler waits for something else would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin isolation level read committed');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
