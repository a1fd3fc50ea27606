/**
 * What remembers which writes were made. Each key has one entry at most:
 *
 *   applied     the write was made, with its result; for ever, whatever attempt or deadline a later call has
 *   refused     attempt n was refused by the vendor's own rules, and changed nothing
 *   withdrawn   somebody was told that attempt n, and all before it, are not executed
 *
 * Of `refused` and `withdrawn`, a call of attempt n or before it is never applied any more; a call of a later attempt is one
 * that a person confirmed since, and is evaluated anew.
 */
import type { Outcome, ProbeOutcome } from '../outcome.ts';
import type { RefusalRecord } from '../refusal-record.ts';

/** An attempt of a write, as it came. */
export interface Write {
  /** The idempotency key. */
  readonly key: string;
  /** The tenant's id. */
  readonly tenant: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly attempt: number;
  readonly deadline: Date;
}

/** What became of this attempt, and those before it? */
export type Question = Pick<Write, 'key' | 'tenant' | 'tool' | 'attempt'>;

/** A write, done in the transaction that also records it; resolves with the result as JSON text. */
export type Work<Tx> = (tx: Tx) => Promise<string>;

export interface Ledger<Tx> {
  /**
   * Does the work at most one time for each key, and answers a repeat with what came of it the first time. Who calls with the
   * same key at the same time waits. When the work throws, nothing of it stays: a Refusal is recorded as `refuse` says it, and
   * resolves; any other error rejects.
   */
  once(write: Write, work: Work<Tx>, refuse: (error: unknown) => RefusalRecord | undefined): Promise<Outcome>;
  /** Answers from the ledger, at once; before it says "not executed" it makes sure of it. */
  probe(question: Question): Promise<Disposition>;
}

export type Disposition = Exclude<ProbeOutcome, { kind: 'failed' }>;

/** What is known of a key. */
export type Entry = {
  readonly tenant: string;
  readonly tool: string;
  /** Undefined if nobody but a probe has come with this key. */
  readonly argumentsDigest: string | undefined;
  readonly attempt: number;
  /** Whether a refused attempt left something behind outside of its transaction: then nobody is told "not executed" any more. */
  readonly leftBehind: boolean;
} & EntryState;

export type EntryState =
  | { readonly state: 'applied'; readonly result: string }
  | { readonly state: 'refused'; readonly refusal: RefusalRecord }
  | { readonly state: 'withdrawn' };
