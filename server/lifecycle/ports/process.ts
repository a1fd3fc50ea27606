/** What the process itself brings: time, ids, a log. */
import type { ActionId } from '../../domain/action.ts';

/** Time that the lifecycle itself measures; the database's clock decides about everything that is recorded. */
export interface Clock {
  /** Milliseconds, never going back. */
  monotonic(): number;
  /** Milliseconds since the epoch. */
  wall(): number;
  /** Waits; resolves early when the signal fires. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
}

/** Where new ids come from: unguessable. */
export interface Ids {
  actionId(): ActionId;
}

/** Where the lifecycle tells an operator what no caller is waiting for any more. Never given arguments or results. */
export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}
