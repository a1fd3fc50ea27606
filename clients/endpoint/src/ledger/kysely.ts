import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { type SqlLedger, type SqlLedgerOptions, sqlLedger } from './sql.ts';
import type { Begin } from './transactions.ts';

/**
 * A ledger for users of Kysely; `call.tx` is the transaction. Instead of the instance it can be a function that opens the
 * transaction, READ COMMITTED, in your own way:
 *
 *   kyselyLedger<Schema>((work) => db.transaction().setIsolationLevel('read committed').execute(work))
 */
export function kyselyLedger<Schema>(
  source: Kysely<Schema> | Begin<Transaction<Schema>>,
  options?: SqlLedgerOptions,
): SqlLedger<Transaction<Schema>> {
  const transaction: Begin<Transaction<Schema>> =
    typeof source === 'function'
      ? source
      : (work) => source.transaction().setIsolationLevel('read committed').execute(work);
  return sqlLedger<Transaction<Schema>>(
    {
      transaction,
      // Plugins would rename the columns.
      executor: (tx) => ({
        query: async (sql, params) =>
          (await tx.withoutPlugins().executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...params]))).rows,
      }),
    },
    options,
  );
}
