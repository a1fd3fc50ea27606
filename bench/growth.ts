/**
 * From an empty table to a million actions under a running server: its prepared statements keep the plans that they were
 * given when there was nothing, no ANALYZE is run by hand, and autovacuum, which would run one, is off.
 */
import { startContender } from './contender.ts';
import { insertSettled } from './insert-settled.ts';
import type { Load, Measured } from './load.ts';
import type { Place } from './place.ts';

export interface Grown {
  /** Actions in the table, each settled, with its attempt, its intent and its three events. */
  readonly actions: number;
  readonly oneInFlight: Measured;
  readonly eightInFlight: Measured;
  readonly get: Measured;
}

/** What PostgreSQL is started with. */
export const growthSettings = { autovacuum: 'off' };

const sizes = [0, 100_000, 1_000_000];

export async function grow(place: Place, progress: (text: string) => void): Promise<readonly Grown[]> {
  const { surroundings } = await place.serve('growth');
  const client = place.own(await startContender(import.meta.resolve('./clients/grpc.ts'), surroundings));
  const reader = place.own(await startContender(import.meta.resolve('./clients/grpc-get.ts'), surroundings));
  // PostgreSQL settles for a plan at the sixth run of a statement on a connection, and each of ten must come to that.
  const warmUp: Load = { inFlight: 32, until: { lifecycles: 400 } };
  await client.ask(warmUp);
  await reader.ask(warmUp);
  const grown: Grown[] = [];
  let actions = 0;
  for (const size of sizes) {
    await insertSettled(surroundings.BENCH_DATABASE_URL, size - actions);
    actions = size;
    progress(`${size} actions inserted`);
    grown.push({
      actions,
      oneInFlight: await client.ask({ inFlight: 1, until: { ms: 4_000 } }),
      eightInFlight: await client.ask({ inFlight: 8, until: { ms: 4_000 } }),
      get: await reader.ask({ inFlight: 1, until: { ms: 2_000 } }),
    });
  }
  return grown;
}
