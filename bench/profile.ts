import { startContender } from './contender.ts';
import type { Measured } from './load.ts';
import type { Place } from './place.ts';
import { settledActions } from './settled-actions.ts';

/** What a server is kept busy with while it is profiled. */
export type Profiled = 'lifecycles' | 'gets';

/** Keeps a server busy for a while, which leaves a CPU profile (for Chrome's DevTools, or speedscope) when it stops. */
export async function profile(place: Place, into: string, what: Profiled): Promise<Measured> {
  const { server, surroundings } = await place.serve('profiled', { profileInto: into });
  const client = place.own(
    what === 'lifecycles'
      ? await startContender(import.meta.resolve('./clients/grpc.ts'), surroundings)
      : await startContender(import.meta.resolve('./clients/light-get.ts'), {
          ...surroundings,
          BENCH_ACTION_IDS: (await settledActions(surroundings, 100)).join(' '),
        }),
  );
  const measured = await client.ask({ inFlight: 32, until: { ms: 20_000 } });
  await server.stop();
  return measured;
}
