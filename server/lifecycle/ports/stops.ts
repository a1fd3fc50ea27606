/** What operators stopped. Implemented by store; the claim looks at the same record in its own statement. */
import type { Actor } from '../../domain/action.ts';
import type { Stop, StopTarget } from '../../domain/stop.ts';

export interface Stops {
  /** What stands in the tenant: as it was at most a second ago, so that it costs no look-up on each call. */
  recent(tenantId: string): Promise<readonly Stop[]>;
  /** What stands in the tenant now, the newest first. */
  list(tenantId: string): Promise<readonly Stop[]>;
  /**
   * Stops, with its event in one transaction; what is stopped already stays as it is. Resolves when every replica's `recent`
   * knows it; nothing is claimed from the commit on.
   */
  stop(tenantId: string, target: StopTarget, reason: string, by: Actor): Promise<Stop>;
  /** Takes a stop back, with its event in one transaction; undefined when there is none. Resolves when every replica knows. */
  resume(tenantId: string, target: StopTarget, reason: string, by: Actor): Promise<Stop | undefined>;
}
