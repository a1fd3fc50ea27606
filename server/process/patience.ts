import type { Clock, Log } from '../lifecycle/ports/process.ts';

/** Does what needs the database again and again, for as long as waiting can help. */
export interface Patience {
  /** Rejects with what cannot heal by waiting, and with the signal's reason when it fires between two tries. */
  until<T>(work: () => Promise<T>): Promise<T>;
}

export interface PatienceOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** What stands in the way, in few words, if it may be gone by itself later; undefined for what will not. */
  readonly passing: (error: unknown) => string | undefined;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** Tells the log what stands in the way when that changes, not for each try. */
export function createPatience({ clock, log, signal, passing }: PatienceOptions): Patience {
  return {
    async until(work) {
      let told: string | undefined;
      for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
        try {
          const done = await work();
          if (told !== undefined) log.info({}, 'the database can be used');
          return done;
        } catch (error) {
          signal.throwIfAborted();
          const reason = passing(error);
          if (reason === undefined) throw error;
          if (reason !== told) log.warn({ reason }, 'the database cannot be used yet; it is tried again until it can');
          told = reason;
          await clock.delay(pause, signal);
          signal.throwIfAborted();
        }
      }
    },
  };
}
