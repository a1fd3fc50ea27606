/**
 * A ledger in the vendor's own PostgreSQL. A write is one transaction:
 *
 *   begin → hold the key → look at its entry → the handler's change → record the result → commit
 *
 * Whoever comes with the same key waits at `hold`, in whatever process, and then sees the entry. The deadline is checked by the
 * database's clock twice: before the handler runs, and in the statement that records. A process that dies anywhere before the
 * commit leaves nothing, after it the change and its record. A refusal rolls this transaction back, and is recorded in one of its
 * own: by then nobody may have come in between, or what they left is the answer.
 */
import type { Outcome } from '../outcome.ts';
import type { RefusalRecord } from '../refusal-record.ts';
import { judgeProbe, judgeWrite, pastDeadline } from './judge.ts';
import { keyTime } from './key-time.ts';
import type { Ledger, Question, Work, Write } from './ledger.ts';
import { ledgerSchema } from './schema.ts';
import { type Held, holdKey, LedgerMisuse, lookUp, tryHoldKey } from './sql-entry.ts';
import { deleteOld, record, recordRefusal, withdraw } from './statements.ts';
import type { Begin, Executor, Row, Transactions } from './transactions.ts';
import { createTurns } from './turns.ts';

export type { Begin, Executor, Ledger, Row, Transactions };
export { LedgerMisuse, ledgerSchema };

export interface SqlLedgerOptions {
  /**
   * How long an entry is kept after it was last touched, days; 90 by default, at least 31: an action can wait for its next
   * attempt for 30. A probe about an action that is older gets "unknown", and never "not executed".
   */
  readonly keepDays?: number;
}

export interface SqlLedger<Tx> extends Ledger<Tx> {
  /** Makes the table `tether_ledger` if it is not there; the same as running `ledger.sql`. */
  migrate(): Promise<void>;
  /** Deletes what is older than `keepDays`; resolves with how many entries that were. Call it once a day. */
  prune(): Promise<number>;
}

/** Another transaction took the key between two of ours: look again. */
const overtaken = Symbol('overtaken');

/** Ends a transaction that has to be rolled back, with what is answered then. */
class RollBack extends Error {
  readonly instead: Outcome | typeof overtaken;

  constructor(instead: Outcome | typeof overtaken) {
    super('the write is rolled back');
    this.instead = instead;
  }
}

/** @throws RangeError for `keepDays` under 31. */
export function sqlLedger<Tx>(transactions: Transactions<Tx>, { keepDays = 90 }: SqlLedgerOptions = {}): SqlLedger<Tx> {
  if (!(keepDays >= 31)) throw new RangeError(`keepDays must be 31 or more, and is ${keepDays}`);
  const inTurn = createTurns();

  /** What `work` came to, once its transaction is committed. */
  async function committed<T>(work: (tx: Tx, executor: Executor) => Promise<T>): Promise<T> {
    let outcome: { readonly value: T } | undefined;
    await transactions.transaction(async (tx) => {
      outcome = undefined;
      outcome = { value: await work(tx, transactions.executor(tx)) };
    });
    if (outcome === undefined)
      throw new LedgerMisuse('the transaction was said to be committed, but its work was not done');
    return outcome.value;
  }

  async function write(write: Write, work: Work<Tx>, refuse: Refuse): Promise<Outcome | typeof overtaken> {
    // What the work threw, however the transaction wraps it.
    let thrown: { readonly error: unknown } | undefined;
    try {
      return await committed(async (tx, executor) => {
        thrown = undefined;
        const held = await holdKey(executor, write.key);
        const { entry, now } = await lookUp(executor, held);
        const judged = judgeWrite(entry, write, now < write.deadline.getTime());
        if (judged.kind !== 'run') return judged;
        try {
          const json = await work(tx);
          await transactions.flush?.(tx);
          await recordResult(executor, held, write, json);
          return { kind: 'result', json, replayed: false };
        } catch (error) {
          thrown = { error };
          throw error;
        }
      });
    } catch (caught) {
      if (caught instanceof LedgerMisuse) throw caught;
      const error = thrown === undefined ? caught : thrown.error;
      if (error instanceof RollBack) return error.instead;
      const refusal = refuse(error);
      if (refusal === undefined) throw error;
      return committed((_, executor) => recordRefused(executor, write, refusal));
    }
  }

  function ask(question: Question) {
    return committed(async (_, executor) => {
      const held = await tryHoldKey(executor, question.key);
      if (held === undefined) return { kind: 'in_progress' } as const;
      const { entry, now } = await lookUp(executor, held);
      const judged = judgeProbe(entry, question, isForgotten(question.key, now, keepDays));
      if (judged.kind !== 'withdraw') return judged;
      const { key, tenant, tool, attempt } = question;
      const rows = await executor.query(withdraw, [key, tenant, tool, String(attempt)]);
      return rows.length === 0 ? overtaken : ({ kind: 'not_executed' } as const);
    });
  }

  return {
    once: (one, work, refuse) => inTurn(one.key, () => untilNotOvertaken(() => write(one, work, refuse))),
    probe: (question) => untilNotOvertaken(() => ask(question)),
    async migrate() {
      await committed(async (_, executor) => {
        await holdKey(executor, 'schema');
        for (const statement of statementsOf(ledgerSchema)) await executor.query(statement, []);
      });
    },
    async prune() {
      for (let all = 0; ; ) {
        const [row] = await committed((_, executor) => executor.query(deleteOld, [String(Math.floor(keepDays))]));
        const gone = Number(row?.gone ?? 0);
        all += gone;
        if (gone === 0) return all;
      }
    },
  };
}

type Refuse = (error: unknown) => RefusalRecord | undefined;

/** Once is all that can happen where the lock holds; more than a few times is a table that contradicts itself. */
const mostTries = 5;

async function untilNotOvertaken<T>(attempt: () => Promise<T | typeof overtaken>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const came = await attempt();
    if (came !== overtaken) return came;
  }
  throw new LedgerMisuse('the entry of a key was changed by somebody else again and again');
}

async function recordResult(executor: Executor, held: Held, write: Write, json: string): Promise<void> {
  const { key, tenant, tool, argumentsDigest, attempt, deadline } = write;
  const until = deadline.toISOString();
  const { began, backend } = held;
  const values = [key, tenant, tool, argumentsDigest, String(attempt), json, until, began, backend];
  if ((await executor.query(record, values)).length > 0) return;
  const { now } = await lookUp(executor, held);
  throw new RollBack(now < deadline.getTime() ? overtaken : pastDeadline(write));
}

async function recordRefused(
  executor: Executor,
  write: Write,
  refusal: RefusalRecord,
): Promise<Outcome | typeof overtaken> {
  const { key, tenant, tool, argumentsDigest, attempt } = write;
  const held = await holdKey(executor, key);
  const { entry } = await lookUp(executor, held);
  const refused = { kind: 'refused', refusal, replayed: false } as const;
  const judged = judgeWrite(entry, write, true);
  // Withdrawn meanwhile: that nothing was done is as true of a refusal.
  if (judged.kind !== 'run') return judged.kind === 'late' ? refused : judged;
  const leftBehind = String(refusal.effect !== 'none');
  const values = [key, tenant, tool, argumentsDigest, String(attempt), JSON.stringify(refusal), leftBehind];
  const rows = await executor.query(recordRefusal, values);
  return rows.length === 0 ? overtaken : refused;
}

function isForgotten(key: string, now: number, keepDays: number): boolean {
  const staged = keyTime(key);
  // A day less, for two clocks that differ.
  return staged !== undefined && now - staged > (keepDays - 1) * 86_400_000;
}

function statementsOf(sql: string): string[] {
  const statements = sql.replace(/--.*$/gm, '').split(';');
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}
