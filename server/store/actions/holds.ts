import type { Observed, State } from '../../domain/action.ts';
import { isPastExpiry } from '../../domain/action.ts';

/** Whether the tool's window runs from there on. An expiry is no settlement, nor is being amended (DESIGN §2.1 step 3). */
const settlement: Readonly<Record<State, boolean>> = {
  PENDING: false,
  EXECUTING: false,
  INDETERMINATE: false,
  SUCCEEDED: true,
  REFUSED: true,
  FAILED: true,
  PRECONDITION_FAILED: true,
  REJECTED: false,
  EXPIRED: false,
  SUPERSEDED: false,
};

/**
 * Whether an action keeps its intent from another one: in doubt whatever its state is (rule 4), PENDING and REJECTED until its
 * expiry, settled for the window that was declared when it was staged, and so too where it turned out to have taken effect.
 */
export function holds(holder: Observed): boolean {
  const { state, effect } = holder.action;
  if (effect === 'UNKNOWN' || state === 'EXECUTING' || state === 'INDETERMINATE') return true;
  if ((state === 'PENDING' || state === 'REJECTED') && !isPastExpiry(holder)) return true;
  return (settlement[state] || effect === 'APPLIED') && isWithinWindow(holder);
}

function isWithinWindow({ action: { settledAt, intentWindowMs }, at }: Observed): boolean {
  return settledAt !== null && at.getTime() < settledAt.getTime() + intentWindowMs;
}
