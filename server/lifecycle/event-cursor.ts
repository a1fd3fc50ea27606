import { invalidCursor } from './list.ts';
import type { Position } from './ports/events.ts';

const form = /^e(\d{1,20})\.(\d{1,19})$/;

/** A place in the audit trail as text. */
export function cursorOf({ transaction, sequence }: Position): string {
  return `e${transaction}.${sequence}`;
}

/** Throws INVALID_CURSOR. */
export function positionOf(cursor: string): Position {
  const [, transaction, sequence] = form.exec(cursor) ?? [];
  if (transaction === undefined || sequence === undefined) throw invalidCursor(cursor);
  return { transaction: BigInt(transaction), sequence: BigInt(sequence) };
}
