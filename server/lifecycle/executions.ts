/** The confirms that are past their claim: they finish whoever hangs up, and a drain waits for them (rules 5 and 8). */
export interface Executions {
  /** Fires when the drain's time is over: nothing is retried any more. */
  readonly closing: AbortSignal;
  /** Lets it run on, whoever waits for it. */
  track<T>(work: Promise<T>): Promise<T>;
  /** How many are under way. */
  running(): number;
  /** Waits for all of them, at most so long; then no settlement is retried any more. */
  drain(ms: number): Promise<void>;
  /** Waits for all of them, at most so long. */
  ended(ms: number): Promise<void>;
}

export function createExecutions(): Executions {
  const under = new Set<Promise<unknown>>();
  const closing = new AbortController();
  return {
    closing: closing.signal,
    track(work) {
      const done = work.then(
        () => undefined,
        () => undefined,
      );
      under.add(done);
      void done.then(() => under.delete(done));
      return work;
    },
    running: () => under.size,
    async drain(ms) {
      const timer = setTimeout(() => closing.abort(), ms);
      while (under.size > 0 && !closing.signal.aborted) await Promise.race([...under, aborted(closing.signal)]);
      clearTimeout(timer);
      closing.abort();
    },
    async ended(ms) {
      const patience = AbortSignal.timeout(ms);
      while (under.size > 0 && !patience.aborted) await Promise.race([...under, aborted(patience)]);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
