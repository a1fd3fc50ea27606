import type { Position } from '../../lifecycle/ports/events.ts';

const greatestTransaction = 2n ** 64n - 1n;
export const greatestSequence = 2n ** 63n - 1n;
const start: Position = { transaction: 0n, sequence: 0n };

/** A position as parameters of a statement. Positions come back from callers, who may have made one up. */
export function boundsOf(after: Position | null): [transaction: string, sequence: string] {
  const { transaction, sequence } = after ?? start;
  return [lesser(transaction, greatestTransaction), lesser(sequence, greatestSequence)];
}

function lesser(a: bigint, b: bigint): string {
  return String(a < b ? a : b);
}
