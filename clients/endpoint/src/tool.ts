/** What a vendor writes: tools, and what a handler is told beside its arguments. */

/**
 * The arguments of a call, a JSON object as the person was shown it. Tether has checked them against the schema of the catalog;
 * a handler may give the parameter the type that this schema promises.
 */
export type Args = Readonly<Record<string, unknown>>;

/** On whose behalf. */
export interface Tenant {
  readonly id: string;
  /** A part of the tenant; empty when it has none. */
  readonly scope: string;
  /** Empty when no user was named. */
  readonly userId: string;
}

/** What a handler is told of its call. */
export interface Call {
  /** The idempotency key, 32 hex digits: of a write the same over all of its attempts. */
  readonly requestId: string;
  readonly tool: string;
  readonly tenant: Tenant;
  /** From 1. */
  readonly attempt: number;
  /** A write must not be applied from then on; the one who reads has stopped waiting. */
  readonly deadline: Date;
  /** Fires at the deadline, by this process's clock: for whatever else the handler waits for. */
  readonly signal: AbortSignal;
}

/** What the handler of a write is told beside that. */
export interface WriteCall<Tx> extends Call {
  /** The action's id, a UUID. */
  readonly actionId: string;
  /**
   * The transaction that ends with the ledger's record of this write. Whatever the handler changes, it changes through this: then
   * both are committed, or neither is.
   */
  readonly tx: Tx;
}

/**
 * Looks something up, and changes nothing: it is called without asking anybody, and repeated. What it returns is sent as JSON;
 * `throw refuse(…)` says why there is no answer.
 */
export interface ReadTool {
  readonly isWrite?: false;
  handle(args: Args, call: Call): unknown;
}

/**
 * Makes one change, that a person confirmed. What it returns is recorded with the change, in the same transaction, and sent as
 * JSON; `throw refuse(…)` rolls everything back and says why, and so does any other error, without saying why.
 */
export interface WriteTool<Tx> {
  readonly isWrite: true;
  handle(args: Args, call: WriteCall<Tx>): unknown;
}

/** By the names that the catalog declares. */
export type Tools<Tx> = Readonly<Record<string, ReadTool | WriteTool<Tx>>>;
