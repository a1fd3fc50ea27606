/** What the lifecycle needs of the world. Implemented by store, dispatch and catalog; wired in app.ts. */
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
} from '../domain/action.ts';
import type { Answer, ReadAnswer } from '../domain/answer.ts';
import type { ActionableError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';

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

/** `key-reused`: this user gave the key to another action, and nothing was claimed. `lost`: the guard found no row. */
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

/** Asked before a confirm runs anything (DESIGN §2.2 step 6); no answer means no. */
export interface Authorizer {
  authorize(observed: Observed, approver: Actor, signal: AbortSignal): Promise<Authorization>;
}

export type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: ActionableError | null }
  | { readonly kind: 'unavailable' };

/** Thrown by a store when the database cannot be reached. */
export class StoreUnavailable extends Error {
  /** False for a read, and when no connection was had: then nothing was written. True when a write's commit was not heard of. */
  readonly mayHaveCommitted: boolean;

  constructor(mayHaveCommitted: boolean, options?: ErrorOptions) {
    super('the database cannot be reached', options);
    this.name = 'StoreUnavailable';
    this.mayHaveCommitted = mayHaveCommitted;
  }
}

/** One call of a write, ready to go out. */
export interface WriteCall {
  readonly endpoint: string;
  /** The action's id as 32 hex digits: `request_id` and `X-Tether-Idempotency-Key`. */
  readonly requestId: string;
  readonly tool: string;
  /** RFC 8785 text, embedded as it is. */
  readonly arguments: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly actionId: ActionId;
  readonly attempt: number;
  readonly deadline: Date;
  readonly timeoutMs: number;
  /** Asked once, connected and right before the first byte: false means too late, send nothing (rule 7). */
  readonly maySend: () => boolean;
}

/** One call of a read. */
export interface ReadCall {
  readonly endpoint: string;
  readonly tool: string;
  readonly arguments: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly signal?: AbortSignal;
}

/** One question about a write. */
export interface ProbeCall {
  readonly endpoint: string;
  /** The write's key: the action's id as 32 hex digits. */
  readonly requestId: string;
  readonly tool: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly actionId: ActionId;
  /** The newest attempt that is asked about. */
  readonly attempt: number;
  readonly signal?: AbortSignal;
}

export const probeDispositions = ['EXECUTED', 'NOT_EXECUTED', 'IN_PROGRESS', 'UNKNOWN'] as const;
export type ProbeDisposition = (typeof probeDispositions)[number];

/** What the endpoint said; UNKNOWN also when it could not be asked, or answered what cannot be read. */
export interface ProbeAnswer {
  readonly disposition: ProbeDisposition;
  /** The result of an executed write, as it was sent; null when it gave none. */
  readonly result: string | null;
  /** Why it was not executed, if it said. */
  readonly refusal: ActionableError | null;
}

/** A place among an endpoint's concurrent calls; given back once, whatever happens. */
export interface Place {
  release(): void;
}

/** Calls endpoints: one policy, three transports (DESIGN §4). Never throws for what an endpoint or network does. */
export interface Dispatcher {
  /** Waits for a place; undefined when there was none in time or the signal fired. Taken before a claim (rule 7). */
  reserve(endpoint: string, signal: AbortSignal): Promise<Place | undefined>;
  /** Sends at most once. */
  write(call: WriteCall): Promise<Answer>;
  /** Asks what became of a write; one attempt. */
  probe(call: ProbeCall): Promise<ProbeAnswer>;
  /** Up to the endpoint's `max_attempts`, 150 ms and 300 ms apart, one key for all. */
  read(call: ReadCall): Promise<ReadAnswer>;
}

/** The tools as they are declared now. */
export interface ToolCatalog {
  find(name: string): Tool | undefined;
  names(): readonly string[];
  /** Whether that endpoint is declared to answer probes. */
  answersProbes(endpoint: string): boolean;
}

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

/** Turns a bearer credential into who it is; undefined for one that is unknown. Never tells why. */
export interface Authenticator {
  authenticate(credential: string): Promise<Principal | undefined>;
}

/** Where the lifecycle tells an operator what no caller is waiting for any more. Never given arguments or results. */
export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}
