import type { StopTarget } from '../../domain/stop.ts';

/** What to stop or resume, and why. */
export interface StopInput extends StopTarget {
  /** May be empty. */
  readonly reason: string;
}
