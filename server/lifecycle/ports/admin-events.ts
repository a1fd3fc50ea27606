/** The trail of what operators did. */
import type { Actor } from '../../domain/action.ts';
import type { Position } from './events.ts';

/** What an operator did; the subject is what it was done to. */
export const adminEventTypes = [
  'CREDENTIAL_CREATED',
  'CREDENTIAL_ROTATED',
  'CREDENTIAL_REVOKED',
  'STOPPED',
  'RESUMED',
] as const;
export type AdminEventType = (typeof adminEventTypes)[number];

/** Something that an operator did, from the trail. */
export interface AdminEvent {
  readonly tenantId: string;
  /** One of {@link adminEventTypes}, or what a later version recorded. */
  readonly type: string;
  /** What it was done to: the id of a credential; the name of what was stopped, empty for the whole tenant. */
  readonly subject: string;
  /** Null when the server itself did it. */
  readonly actor: Actor | null;
  /** A JSON object as text. */
  readonly detailJson: string;
  readonly at: Date;
  /** Where to go on after this event. */
  readonly position: Position;
}

/** The trail of what operators did. It is written together with what it tells, by whoever writes that. */
export interface AdminEventLog {
  /** Events after a position (null: from the first), of a tenant, oldest first. */
  read(query: {
    readonly tenantId: string;
    /** Of these kinds only; null for all. */
    readonly types: readonly AdminEventType[] | null;
    /** Of this subject only; null for all. */
    readonly subject: string | null;
    readonly after: Position | null;
    readonly limit: number;
  }): Promise<readonly AdminEvent[]>;
}
