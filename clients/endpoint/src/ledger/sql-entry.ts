/** Holding a key, and reading its entry, with the proof that both happen in one transaction. */
import type { RefusalRecord } from '../refusal-record.ts';
import type { Entry } from './ledger.ts';
import { hold, look, tryHold } from './statements.ts';
import type { Executor, Row } from './transactions.ts';

/** The ledger was given something that is no transaction as it needs it. Nothing that was promised holds; somebody has to mend it. */
export class LedgerMisuse extends Error {
  constructor(message: string) {
    super(`tether_ledger: ${message}`);
    this.name = 'LedgerMisuse';
  }
}

/** A key that this transaction holds, and which one that is. */
export interface Held {
  readonly key: string;
  readonly began: string;
  readonly backend: string;
}

/** @throws LedgerMisuse for a transaction of another isolation: it could not see what it waited for. */
export async function holdKey(executor: Executor, key: string): Promise<Held> {
  return heldBy(await onlyRow(executor, hold, key), key);
}

/** Undefined when somebody else holds it. */
export async function tryHoldKey(executor: Executor, key: string): Promise<Held | undefined> {
  const row = await onlyRow(executor, tryHold, key);
  const held = heldBy(row, key);
  return text(row, 'held') === 'true' ? held : undefined;
}

/** The entry of a key that is held; `now` by the database's clock, milliseconds since the epoch. */
export async function lookUp(
  executor: Executor,
  held: Held,
): Promise<{ readonly entry: Entry | undefined; readonly now: number }> {
  const row = await onlyRow(executor, look, held.key);
  assertSame(row, held);
  return { entry: entryOf(row), now: Number(text(row, 'now')) * 1_000 };
}

function assertSame(row: Row, { began, backend }: Held): void {
  if (text(row, 'began') === began && text(row, 'backend') === backend) return;
  throw new LedgerMisuse(
    'the statements of one write went to several transactions. `transaction` must open one and hand it to the work, ' +
      '`executor` must run its statements in it, and a handler must not commit or roll back.',
  );
}

function heldBy(row: Row, key: string): Held {
  const isolation = text(row, 'isolation');
  if (isolation !== 'read committed') {
    throw new LedgerMisuse(
      `the transaction is ${isolation}, and must be read committed: what waits for another call could not see what that one ` +
        'did. Lock the rows that a handler decides by (`select … for update`).',
    );
  }
  return { key, began: text(row, 'began'), backend: text(row, 'backend') };
}

function entryOf(row: Row): Entry | undefined {
  const state = optional(row, 'state');
  if (state === undefined) return undefined;
  const common = {
    tenant: text(row, 'tenant'),
    tool: text(row, 'tool'),
    argumentsDigest: optional(row, 'digest'),
    attempt: Number(text(row, 'attempt')),
    leftBehind: text(row, 'left') === 'true',
  };
  switch (state) {
    case 'applied':
      return { ...common, state, result: text(row, 'result') };
    case 'refused': {
      // Written by recordRefused, from a RefusalRecord.
      const refusal: RefusalRecord = JSON.parse(text(row, 'refusal'));
      return { ...common, state, refusal };
    }
    case 'withdrawn':
      return { ...common, state };
    default:
      throw new LedgerMisuse(`the entry of ${text(row, 'tool')} has a state that does not exist: ${state}`);
  }
}

async function onlyRow(executor: Executor, sql: string, key: string): Promise<Row> {
  const [row] = await executor.query(sql, [key]);
  if (row === undefined)
    throw new LedgerMisuse('a statement answered no row; `executor.query` must resolve with the rows');
  return row;
}

function optional(row: Row, column: string): string | undefined {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'string')
    throw new LedgerMisuse(`the column ${column} came as ${typeof value}, and not as text`);
  return value;
}

function text(row: Row, column: string): string {
  const value = optional(row, column);
  if (value === undefined)
    throw new LedgerMisuse(`there is no column ${column} in what \`executor.query\` resolved with`);
  return value;
}
