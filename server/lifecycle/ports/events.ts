/** The audit trail: what happened to actions, in order. */
import type { ActionId, Actor, Effect, State } from '../../domain/action.ts';

/** What happened, in the audit trail; one per transition. */
export const eventTypes = [
  'STAGED',
  'CLAIMED',
  'SETTLED',
  'LATE_ANSWER',
  'LEASE_OVER',
  'EXPIRED',
  'REJECTED',
  'SUPERSEDED',
  'PRECONDITION_CHANGED',
  'RESOLVED',
  'PROBED',
  'VERIFIED',
] as const;
export type EventType = (typeof eventTypes)[number];

/** One transition, from the audit trail. */
export interface ActionEvent {
  readonly actionId: ActionId;
  readonly version: number;
  readonly type: EventType;
  readonly from: State | null;
  readonly to: State;
  readonly effect: Effect;
  readonly attempt: number | null;
  readonly actor: Actor | null;
  readonly previewDigest: string;
  readonly note: string;
  readonly at: Date;
  /** Where to go on after this event. */
  readonly position: Position;
}

/** A place in the trail: events are read in the order of their transactions, below the oldest that is running (DESIGN §2.3). */
export interface Position {
  readonly transaction: bigint;
  readonly sequence: bigint;
}

/** The audit trail, and word of what was added to it. */
export interface EventLog {
  /** Events after a position (null: from the first), of a tenant, oldest first; of one action if it is named. */
  read(query: {
    readonly tenantId: string;
    readonly actionId?: ActionId;
    readonly after: Position | null;
    readonly limit: number;
  }): Promise<readonly ActionEvent[]>;
  /** The end of the trail: every event up to there is visible, and every later one will come after it. */
  end(): Promise<Position>;
  /**
   * Calls back after events of the tenant may have been added, on any replica; word may come late, twice, or not at all.
   * Returns how to stop it.
   */
  listen(tenantId: string, heard: () => void): () => void;
}
