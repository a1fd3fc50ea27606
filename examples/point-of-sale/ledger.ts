import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Args, Call } from './call.ts';
import { inTransaction } from './database.ts';
import { Refused } from './refused.ts';

/** What came of a write; `repeated` when an earlier call had done it. `result` is JSON text. */
export interface Done {
  readonly result: string;
  readonly repeated: boolean;
}

/** Nothing is wrong with the write, but this attempt of it may not be made any more. */
export class TooLate extends Refused {}

/** The advisory lock of the key that is $1: whoever holds it works on that key, alone. */
export const lockOfKey = 'hashtextextended($1, 0)';

/**
 * Does a write at most one time for each key, in one transaction with the ledger's row for it:
 *
 * 1. Calls with the same key wait for each other, so that a second one sees what the first one did.
 * 2. A key that is in the ledger gets the result it got then, whatever time it is; nothing is done. With another tool or
 *    other arguments it is refused.
 * 3. An attempt that somebody was told is not executed is refused (probe.ts), however long it was on its way.
 * 4. The write is done, and written down only if it is not past the deadline by this database's clock, at the end of the
 *    transaction: after a deadline, Tether may already have been told that nothing happened.
 *
 * A refusal rolls everything back and is not written down: the same call may be right later.
 */
export function doOnce(
  pool: pg.Pool,
  call: Call,
  write: (db: pg.ClientBase, args: Args) => Promise<unknown>,
): Promise<Done> {
  return inTransaction(pool, async (db) => {
    await db.query(`select pg_advisory_xact_lock(${lockOfKey})`, [call.requestId]);
    const known = await db.query<{ tool: string; arguments: string; result: string }>(
      'select tool, arguments, result from idempotency_ledger where key = $1',
      [call.requestId],
    );
    const [row] = known.rows;
    if (row !== undefined) {
      if (row.tool !== call.tool || !isDeepStrictEqual(JSON.parse(row.arguments), call.args)) {
        const message = `The key ${call.requestId} was used for a ${row.tool} with other arguments; nothing was done.`;
        throw new Refused('idempotency_key_reused', message, { field: 'request_id', received: call.requestId });
      }
      return { result: row.result, repeated: true };
    }
    await assertNotFenced(db, call);
    const result = JSON.stringify(await write(db, call.args));
    const { rowCount } = await db.query(
      `insert into idempotency_ledger (key, tool, arguments, result)
       select $1, $2, $3, $4 where clock_timestamp() < $5::timestamptz`,
      [call.requestId, call.tool, JSON.stringify(call.args), result, call.deadline],
    );
    if (rowCount === 0) {
      const deadline = call.deadline.toISOString();
      throw new TooLate('past_deadline', `The call is past its deadline (${deadline}), nothing was done.`, {
        field: 'deadline',
        received: deadline,
        retryable: true,
      });
    }
    return { result, repeated: false };
  });
}

async function assertNotFenced(db: pg.ClientBase, { requestId, attempt }: Call): Promise<void> {
  const fences = await db.query<{ attempt: number }>('select attempt from idempotency_fences where key = $1', [
    requestId,
  ]);
  const [fence] = fences.rows;
  if (fence === undefined || attempt > fence.attempt) return;
  const message = `Attempt ${attempt} was asked about, and the answer was that it is not executed; nothing was done.`;
  throw new TooLate('attempt_withdrawn', message, { field: 'attempt', received: attempt, retryable: true });
}
