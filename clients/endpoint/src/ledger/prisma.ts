import { type SqlLedger, type SqlLedgerOptions, sqlLedger } from './sql.ts';
import type { Begin, Row } from './transactions.ts';

/** What every generated client has; Prisma's own packages are not needed here. */
export interface PrismaDatabase<Tx extends PrismaExecutor> {
  $transaction<T>(
    work: (tx: Tx) => Promise<T>,
    options?: { maxWait?: number; timeout?: number; isolationLevel?: 'ReadCommitted' },
  ): Promise<T>;
}

export interface PrismaExecutor {
  $queryRawUnsafe<T = unknown>(sql: string, ...values: unknown[]): PromiseLike<T>;
}

/** Prisma's own are 2 s and 5 s: a call that waits for another with its key would be cut off. */
const patience = { maxWait: 20_000, timeout: 60_000 };

/**
 * A ledger for users of Prisma with PostgreSQL; `call.tx` is the client of the transaction. Instead of the client it can be a
 * function that opens the transaction, in your own way:
 *
 *   prismaLedger((work) => prisma.$transaction(work, { isolationLevel: 'ReadCommitted', timeout: 60_000 }))
 */
export function prismaLedger<Tx extends PrismaExecutor>(
  source: PrismaDatabase<Tx> | Begin<Tx>,
  options?: SqlLedgerOptions,
): SqlLedger<Tx> {
  const transaction: Begin<Tx> =
    typeof source === 'function'
      ? source
      : (work) => source.$transaction(work, { ...patience, isolationLevel: 'ReadCommitted' });
  return sqlLedger<Tx>(
    {
      transaction,
      executor: (tx) => ({ query: async (sql, params) => await tx.$queryRawUnsafe<readonly Row[]>(sql, ...params) }),
    },
    options,
  );
}
