/**
 * Lets those who work on the same key do it one after the other. The database would too; but each who waits there keeps a
 * connection, and with enough of them there would be none left for the one they wait for.
 */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = last.get(key);
    const turn = Promise.withResolvers<void>();
    last.set(key, turn.promise);
    try {
      await before;
      return await work();
    } finally {
      turn.resolve();
      if (last.get(key) === turn.promise) last.delete(key);
    }
  };
}
