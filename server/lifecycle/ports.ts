/** What the lifecycle needs of the world. Implemented by store, dispatch and catalog; wired in app.ts. */
import type {
  Action,
  ActionId,
  Actor,
  Attempt,
  AttemptOutcome,
  Effect,
  Observed,
  Reversible,
  Risk,
  State,
} from '../domain/action.ts';
import type { Answer, ReadAnswer } from '../domain/answer.ts';
import type { ActionableError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';

/** What happened, in the audit trail; one per transition. */
export type EventType = 'STAGED' | 'CLAIMED' | 'SETTLED' | 'LATE_ANSWER' | 'LEASE_OVER' | 'EXPIRED';

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
}

/** `requested`: the request id was used before, for this action. `held`: the intent belongs to this action. */
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

/** A transition to write, with its event, guarded by `action.version`. */
export interface Change {
  readonly action: Action;
  readonly state: State;
  readonly effect: Effect;
  readonly event: EventType;
  /** Null when the server itself does it. */
  readonly actor: Actor | null;
  /** The attempt's record, when the event changes one. */
  readonly attempt: {
    readonly number: number;
    readonly outcome: AttemptOutcome;
    readonly effect: Effect;
    readonly error: ActionableError | null;
    readonly result: string | null;
  } | null;
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
  find(tenantId: string, id: ActionId): Promise<Observed | undefined>;
  /** By a key that this user gave to a confirm. */
  findByIdempotencyKey(tenantId: string, userId: string, key: string): Promise<Observed | undefined>;
  /** By a request id that this credential gave to a stage. */
  findByRequestId(tenantId: string, credentialId: string, requestId: string): Promise<Observed | undefined>;
  claim(claim: Claim): Promise<Claimed>;
  /** Writes a transition; undefined when the guard found no row ("lost"). */
  apply(change: Change): Promise<Observed | undefined>;
  /** PENDING actions past their expiry, of all tenants, longest overdue first. */
  overdue(limit: number): Promise<Observed[]>;
  /** EXECUTING actions whose open attempt's lease is over, of all tenants. */
  orphaned(limit: number): Promise<Observed[]>;
}

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
  /** Up to the endpoint's `max_attempts`, 150 ms and 300 ms apart, one key for all. */
  read(call: ReadCall): Promise<ReadAnswer>;
}

/** The tools as they are declared now. */
export interface ToolCatalog {
  find(name: string): Tool | undefined;
  names(): readonly string[];
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
  planId(): string;
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
