import { type SQL, sql as template } from 'drizzle-orm';
import { atPlaceholders } from './placeholders.ts';
import { LedgerMisuse, type SqlLedger, type SqlLedgerOptions, sqlLedger } from './sql.ts';
import type { Begin, Row } from './transactions.ts';

/** What Drizzle's databases for PostgreSQL have in common, whatever their driver. */
export interface DrizzleDatabase<Tx extends DrizzleExecutor> {
  transaction<T>(work: (tx: Tx) => Promise<T>, config?: { readonly isolationLevel?: 'read committed' }): Promise<T>;
}

export interface DrizzleExecutor {
  execute(query: SQL): PromiseLike<unknown>;
}

/**
 * A ledger for users of Drizzle with PostgreSQL; `call.tx` is the transaction. Instead of the database it can be a function that
 * opens the transaction, READ COMMITTED, in your own way.
 */
export function drizzleLedger<Tx extends DrizzleExecutor>(
  source: DrizzleDatabase<Tx> | Begin<Tx>,
  options?: SqlLedgerOptions,
): SqlLedger<Tx> {
  const transaction: Begin<Tx> =
    typeof source === 'function' ? source : (work) => source.transaction(work, { isolationLevel: 'read committed' });
  return sqlLedger<Tx>(
    {
      transaction,
      executor: (tx) => ({ query: async (sql, params) => rowsOf(await tx.execute(queryOf(sql, params))) }),
    },
    options,
  );
}

function queryOf(sql: string, params: readonly string[]): SQL {
  const { texts, values } = atPlaceholders(sql, params);
  const chunks = texts.flatMap((text, at) => {
    const value = values[at];
    return value === undefined ? [template.raw(text)] : [template.raw(text), template`${value}`];
  });
  return template.join(chunks);
}

/** Some of its drivers answer with the rows, some with an object that has them. */
function rowsOf(answer: unknown): readonly Row[] {
  const rows = typeof answer === 'object' && answer !== null && 'rows' in answer ? answer.rows : answer;
  if (!Array.isArray(rows)) throw new LedgerMisuse('the driver of Drizzle answered no rows');
  return Array.from(rows);
}
