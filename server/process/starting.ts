import { createPatience, type Patience, type PatienceOptions } from './patience.ts';

/** Work of the start that goes on while the doors are open already. */
export interface Starting<T> {
  /** Rejects with what waiting does not heal. Never settles when it was stopped before. */
  readonly done: Promise<T>;
  /** Ends the waiting; resolves with what was started, or undefined when it did not come so far. */
  stop(): Promise<T | undefined>;
}

/** Begins at once. */
export function startInBackground<T>(
  options: Omit<PatienceOptions, 'signal'>,
  work: (patience: Patience) => Promise<T>,
): Starting<T> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { promise: done, resolve, reject } = Promise.withResolvers<T>();
  // Whether anybody waits for it is not known here.
  done.catch(() => undefined);
  const ended = work(createPatience({ ...options, signal })).then(
    (started) => {
      resolve(started);
      return started;
    },
    (error: unknown) => {
      if (!signal.aborted) reject(error);
      return undefined;
    },
  );
  return {
    done,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
