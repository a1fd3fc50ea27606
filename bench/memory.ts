/** Memory of the server over many lifecycles, measured between portions, when nothing is under way. */
import { startContender } from './contender.ts';
import { median } from './load.ts';
import type { Place } from './place.ts';
import { residentBytes } from './process-facts.ts';

export interface Sample {
  /** So many were done by then. */
  readonly lifecycles: number;
  /** As the system sees it, before a collection. */
  readonly residentBytes: number;
  /** What is still reachable: after a full collection. */
  readonly heapBytes: number;
  /** Of the portion before it. */
  readonly perSecond: number;
}

export interface Memory {
  readonly samples: readonly Sample[];
  /** The median of the last third over that of the third before it: 1 is flat. The first third is the warm-up. */
  readonly residentTrend: number;
  readonly heapTrend: number;
}

const portions = 21;

export async function watchMemory(
  place: Place,
  { lifecycles, progress }: { readonly lifecycles: number; readonly progress: (text: string) => void },
): Promise<Memory> {
  const { server, surroundings } = await place.serve('memory', { heap: true });
  const client = place.own(await startContender(import.meta.resolve('./clients/grpc.ts'), surroundings));
  const portion = Math.ceil(lifecycles / portions);
  const samples: Sample[] = [];
  for (let done = portion; samples.length < portions; done += portion) {
    const { perSecond } = await client.ask({ inFlight: 32, until: { lifecycles: portion } });
    const resident = residentBytes(server.pid);
    const heapBytes = await server.heapUsed();
    samples.push({ lifecycles: done, residentBytes: resident, heapBytes, perSecond });
    const mebibytes = [resident, heapBytes].map((bytes) => (bytes / 2 ** 20).toFixed(1));
    progress(`${done} of ${lifecycles} lifecycles: resident ${mebibytes[0]} MiB, live heap ${mebibytes[1]} MiB`);
  }
  return {
    samples,
    residentTrend: trend(samples.map((sample) => sample.residentBytes)),
    heapTrend: trend(samples.map((sample) => sample.heapBytes)),
  };
}

function trend(curve: readonly number[]): number {
  const third = curve.length / 3;
  return median(curve.slice(2 * third)) / median(curve.slice(third, 2 * third));
}
