import type pg from 'pg';
import type { Probe } from './call.ts';
import { inTransaction } from './database.ts';
import { lockOfKey } from './ledger.ts';

/** What became of a write. `result` is JSON text, as it was sent the first time. */
export type Disposition =
  | { readonly disposition: 'executed'; readonly result: string }
  | { readonly disposition: 'not_executed' | 'in_progress' | 'unknown' };

/**
 * Answers from the ledger. "Not executed" is a promise about this attempt and all before it, while one of them may still be
 * on its way here; so it is given together with a fence that turns that one away, under the lock under which writes are
 * done: either the write sees the fence, or this sees the write.
 */
export function probe(pool: pg.Pool, { requestId, tool, attempt }: Probe): Promise<Disposition> {
  return inTransaction(pool, async (db): Promise<Disposition> => {
    const lock = await db.query<{ mine: boolean }>(`select pg_try_advisory_xact_lock(${lockOfKey}) as mine`, [
      requestId,
    ]);
    if (lock.rows[0]?.mine !== true) return { disposition: 'in_progress' };
    const known = await db.query<{ tool: string; result: string }>(
      'select tool, result from idempotency_ledger where key = $1',
      [requestId],
    );
    const [row] = known.rows;
    if (row !== undefined)
      return row.tool === tool ? { disposition: 'executed', result: row.result } : { disposition: 'unknown' };
    await db.query(
      `insert into idempotency_fences (key, attempt) values ($1, $2)
       on conflict (key) do update set attempt = greatest(idempotency_fences.attempt, excluded.attempt)`,
      [requestId, attempt],
    );
    return { disposition: 'not_executed' };
  });
}

/** The answer to a probe: the result stands in it as the text it was. */
export function dispositionBody(answer: Disposition): string {
  const { disposition } = answer;
  return answer.disposition === 'executed'
    ? `{"disposition":"${disposition}","result":${answer.result}}`
    : JSON.stringify({ disposition });
}
