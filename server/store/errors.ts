import { DriverException } from '@mikro-orm/postgresql';
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../lifecycle/ports/store-unavailable.ts';

/** The SQLSTATE of an error that PostgreSQL itself sent, also when MikroORM copied it (as it copies a socket's errors too). */
export function sqlStateOf(error: unknown): string | undefined {
  const sent = error instanceof DatabaseError || (error instanceof DriverException && 'severity' in error);
  return sent ? error.code : undefined;
}

/** The name of the unique constraint or index that a statement ran into; undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  return error instanceof DatabaseError && error.code === '23505' ? error.constraint : undefined;
}

/** Serialization failure or deadlock: the whole statement was rolled back and can be sent again. */
export function wasRolledBackForAnother(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** No connection was had, so nothing was written, whatever the reason. */
export function connectError(error: unknown): StoreUnavailable {
  return new StoreUnavailable(false, { cause: error });
}

/**
 * What the store throws for an error of a statement that was sent. An error that PostgreSQL itself sent tells what it is by
 * its SQLSTATE; everything else that a query can end in (sockets, time-outs) is the way to the database, and hides whether a
 * write was committed.
 */
export function statementError(error: unknown, writes: boolean): unknown {
  const code = sqlStateOf(error);
  if (code !== undefined) {
    if (isEndOfSession(code)) return new StoreUnavailable(writes, { cause: error });
    return isServerTrouble(code) ? new StoreUnavailable(false, { cause: error }) : error;
  }
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new StoreUnavailable(writes, { cause: error });
}

/**
 * Whether the connection can be used no more. What PostgreSQL says of a statement leaves it good, but for a last word; after
 * anything else nobody knows what the next answer would belong to.
 */
export function breaksConnection(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === undefined || isEndOfSession(code);
}

/** Connection exceptions (08), and shutdowns and crashes of the server (57P). */
function isEndOfSession(code: string): boolean {
  return code.startsWith('08') || code.startsWith('57P');
}

/** The statement failed for the server's reasons, and was rolled back: resources (53), cancelled (57), now a standby. */
function isServerTrouble(code: string): boolean {
  return code.startsWith('53') || code.startsWith('57') || code === '25006';
}
