/** The record of actions. Implemented by store. */
import type {
  Action,
  ActionId,
  Actor,
  Attempt,
  AttemptOutcome,
  DeclaredValue,
  Effect,
  Observed,
  Resolution,
  Reversible,
  Risk,
  State,
  Verification,
} from '../../domain/action.ts';
import type { ActionableError } from '../../domain/error.ts';
import type { EventType } from './events.ts';

/** A new action, before the database gives it its times. */
export interface NewAction {
  readonly id: ActionId;
  readonly tenantId: string;
  readonly scope: string;
  readonly userId: string;
  readonly tool: string;
  readonly arguments: string;
  readonly previewDigest: string;
  readonly planId: string;
  readonly summary: string;
  readonly risk: Risk;
  readonly reversible: Reversible | null;
  readonly endpoint: string;
  readonly ttlMs: number;
  readonly proposedBy: Actor;
  /** SHA-256 over the intent (DESIGN §2.1 step 3), 32 bytes. */
  readonly intentHash: Uint8Array;
  /** The caller's own id of the request; null when it gave none. */
  readonly requestId: string | null;
  /** Whose request id that is: the proposer's credential, or the amender's. */
  readonly requestedBy: Actor;
  readonly value: DeclaredValue | null;
  readonly fourEyes: boolean;
  /** See {@link Action.precondition}. */
  readonly precondition: string | null;
  readonly intentWindowMs: number;
  readonly amendedBy: Actor | null;
  /** Its place in its plan: when the first of its line of amendments was staged; null when that is now. */
  readonly placedAt: Date | null;
}

/**
 * `requested`: the request id was used before, for this action. `held`: the intent belongs to this action, whose arguments may
 * be others when the tool declares the intent's fields.
 */
export type Inserted =
  | { readonly kind: 'inserted'; readonly observed: Observed }
  | { readonly kind: 'requested'; readonly observed: Observed }
  | { readonly kind: 'held'; readonly observed: Observed };

/** A confirm's claim: the one conditional UPDATE that decides (rule 2). */
export interface Claim {
  /** As read at the start of the confirm; its state and version guard the claim, and `expires_at > now()` always does. */
  readonly action: Action;
  readonly approver: Actor;
  /** Recorded in the claim's transaction; null when the caller gave none. */
  readonly idempotencyKey: string | null;
  /** Per attempt; the deadline is the claim plus this, by the database's clock. */
  readonly timeoutMs: number;
}

/** `key-reused`: this user gave the key to another action, and nothing was claimed. `lost`: the guard found no row, also because what it needs is stopped. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly action: Action; readonly attempt: Attempt }
  | { readonly kind: 'lost' }
  | { readonly kind: 'key-reused' };

/** What an attempt's record becomes; a null error or result leaves what is there. */
export interface AttemptRecord {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly effect: Effect;
  readonly error: ActionableError | null;
  readonly result: string | null;
}

/** A transition to write, with its event, guarded by `action.version`. */
export interface Change {
  readonly action: Action;
  readonly state: State;
  readonly effect: Effect;
  readonly event: EventType;
  /** Null when the server itself does it. */
  readonly actor: Actor | null;
  /** The attempts' records, of those that the event changes: mostly one. */
  readonly attempts: readonly AttemptRecord[];
  /** What was said with it, for the event. */
  readonly note?: string;
  /** Recorded on the action; undefined leaves it as it is. */
  readonly rejection?: { readonly reason: string; readonly by: Actor };
  readonly resolution?: Resolution;
  readonly verification?: Verification;
  /** When to verify by ourselves, in ms from now; null never; undefined leaves it as it is. */
  readonly verifyInMs?: number | null;
  /** When to ask the endpoint by ourselves, in ms from now; null never; undefined leaves it as it is. */
  readonly probeInMs?: number | null;
  /** Also guard by the database's clock: past `expires_at`, or past the open attempt's lease. */
  readonly due?: 'expiry' | 'lease';
}

/** The record of actions. Every write puts its audit event into the same transaction (rule 6). */
export interface ActionStore {
  /**
   * Inserts action, intent, request id and event together; the unique indexes decide. An intent whose action no longer
   * holds it passes to the new one in the same transaction, and a PENDING holder past its expiry is expired there too.
   */
  insert(action: NewAction): Promise<Inserted>;
  /** What `insert` would meet, if anything; records the request id for a holder with the same arguments, as `insert` does. */
  meet(action: NewAction): Promise<Exclude<Inserted, { kind: 'inserted' }> | undefined>;
  find(tenantId: string, id: ActionId): Promise<Observed | undefined>;
  /** By a key that this user gave to a confirm. */
  findByIdempotencyKey(tenantId: string, userId: string, key: string): Promise<Observed | undefined>;
  /** By a request id that this credential gave to a stage. */
  findByRequestId(tenantId: string, credentialId: string, requestId: string): Promise<Observed | undefined>;
  claim(claim: Claim): Promise<Claimed>;
  /** Writes a transition; undefined when the guard found no row ("lost"). */
  apply(change: Change): Promise<Observed | undefined>;
  /**
   * Puts a new action in the place of one that is PENDING, not in doubt and not past expiry, guarded by its version, in one
   * transaction: the old one is SUPERSEDED with its event, its intent passes on or is let go, the new one is inserted as by
   * `insert`. `lost`: the guard found no row. `held`: another action holds the new intent, and nothing was written.
   */
  amend(old: Action, replacement: NewAction): Promise<Amended>;
  /** A page, newest first. */
  list(query: ListQuery): Promise<Page>;
  /**
   * Takes actions whose probe is due, of all tenants, by moving the time of their next one `againInMs` away: of several
   * replicas one gets each.
   */
  takeDueProbes(limit: number, againInMs: number): Promise<Observed[]>;
  /** Sets when an action in doubt is asked about again, in ms from now; no transition, and guarded by the version. */
  scheduleProbe(action: Action, inMs: number | null): Promise<void>;
  /** Takes actions whose verification is due, as `takeDueProbes` does. */
  takeDueVerifications(limit: number, againInMs: number): Promise<Observed[]>;
  /**
   * Deletes settled actions without a doubt that are older than `actionsMs` since their settlement, with all that hangs on them
   * but their events, and events older than `eventsMs`; an intent stays as long as its window. At most `limit` actions and as
   * many events; returns how many of both went.
   */
  retain(keep: { readonly actionsMs: number; readonly eventsMs: number; readonly limit: number }): Promise<number>;
  /** PENDING actions past their expiry, of all tenants, longest overdue first. */
  overdue(limit: number): Promise<Observed[]>;
  /** EXECUTING actions whose open attempt's lease is over, of all tenants. */
  orphaned(limit: number): Promise<Observed[]>;
}

export type Amended =
  | { readonly kind: 'amended'; readonly superseded: Observed; readonly observed: Observed }
  | { readonly kind: 'requested'; readonly observed: Observed }
  | { readonly kind: 'held'; readonly observed: Observed }
  | { readonly kind: 'lost' };

/** Which actions; what is undefined asks for nothing. */
export interface ActionFilter {
  readonly states?: readonly State[];
  readonly planId?: string;
  readonly scope?: string;
  readonly userId?: string;
  readonly tool?: string;
  readonly needsAttention?: boolean;
}

export interface ListQuery {
  readonly tenantId: string;
  readonly filter: ActionFilter;
  /** Only in these scopes; null for all. */
  readonly scopes: readonly string[] | null;
  /** Only what this credential proposed; null for everybody's. */
  readonly proposedByCredential: string | null;
  readonly limit: number;
  /** The last action of the page before; null for the first page. */
  readonly after: ActionId | null;
}

export interface Page {
  readonly items: readonly Observed[];
  readonly more: boolean;
}
