import { startContender } from './contender.ts';
import type { Measured } from './load.ts';
import type { Place } from './place.ts';

/** Keeps a server busy for a while, which leaves a CPU profile (for Chrome's DevTools, or speedscope) when it stops. */
export async function profile(place: Place, into: string): Promise<Measured> {
  const { server, surroundings } = await place.serve('profiled', { profileInto: into });
  const client = place.own(await startContender(import.meta.resolve('./clients/grpc.ts'), surroundings));
  const measured = await client.ask({ inFlight: 32, until: { ms: 20_000 } });
  await server.stop();
  return measured;
}
