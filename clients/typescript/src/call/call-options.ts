/** What every verb takes last. */
export interface CallOptions {
  /** Ends the call: it rejects with a TetherError `CANCELED`. A write that was under way is not undone by it. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call, repeats and pauses included; the client's own by default. */
  readonly timeoutMs?: number;
}

/** How repeats are paced. All in milliseconds but `repeats`. */
export interface RetryOptions {
  /** How often a call is repeated at most; 0 never. 4 by default. */
  readonly repeats?: number;
  /** The pause before the first repeat, doubled before each next; up to a half is taken off at random. 200 by default. */
  readonly baseDelayMs?: number;
  /** The longest pause that is made for no other reason. 5,000 by default. What the server asks for may be longer. */
  readonly maxDelayMs?: number;
  /** How long one try waits for its answer before it counts as lost. 30,000 by default, for a confirm 60,000. */
  readonly tryTimeoutMs?: number;
}
