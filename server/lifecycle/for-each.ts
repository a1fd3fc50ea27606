import { StoreUnavailable } from './ports/store-unavailable.ts';

/**
 * Does the same for each, one after the other. What stands in the way of one holds up no other: the first trouble is what it rejects
 * with once all have had their turn, or at once when the database is away, which is everybody's trouble.
 */
export async function oneByOne<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const troubles: unknown[] = [];
  for (const each of all) {
    try {
      await work(each);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      troubles.push(error);
    }
  }
  if (troubles.length > 0) throw troubles[0];
}

/** The same, all at once: it ends when all have ended. */
export async function allAtOnce<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const ends = await Promise.allSettled(all.map(work));
  const trouble = ends.find((end) => end.status === 'rejected');
  if (trouble !== undefined) throw trouble.reason;
}
