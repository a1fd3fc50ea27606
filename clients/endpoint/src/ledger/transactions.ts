/**
 * All that a ledger in PostgreSQL needs of the vendor's own access to it. One small interface, so that the write and its record
 * go through the same transaction, whoever opens it: pg, an ORM, or a function of the vendor's.
 */

/** Runs one statement, with `$1`, `$2` … in it; the values are texts, the columns are texts or null. */
export interface Executor {
  query(sql: string, params: readonly string[]): Promise<readonly Row[]>;
}

export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs the work in one READ COMMITTED transaction, and only there: resolves when it is committed, and rolls back and rejects when
 * the work rejects.
 */
export type Begin<Tx> = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

export interface Transactions<Tx> {
  readonly transaction: Begin<Tx>;
  /** Statements in this transaction. */
  executor(tx: Tx): Executor;
  /** Sends what the handler left for later, as a unit of work does; called right before its result is recorded. */
  flush?(tx: Tx): Promise<void>;
}
