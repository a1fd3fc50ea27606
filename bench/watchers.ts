/** What many watchers who all begin at once leave of the server for everybody else. */
import { startContender } from './contender.ts';
import { insertSettled } from './insert-settled.ts';
import type { Measured } from './load.ts';
import type { Place } from './place.ts';
import { residentBytes } from './process-facts.ts';
import { settledActions } from './settled-actions.ts';

const watchers = 100;
const actions = 768;
/** Gets under way at once, beside them. */
const inFlight = 4;

export interface Watched {
  readonly watchers: number;
  readonly actions: number;
  /** Gets without a watcher, and beside them. */
  readonly quiet: Measured;
  readonly beside: Measured;
  /** Whole snapshots, of all watchers together: each watches again as soon as it has seen everything. */
  readonly snapshots: Measured;
  readonly residentBytes: number;
}

export async function watchWatchers(place: Place, ms: number): Promise<Watched> {
  const { server, surroundings } = await place.serve('watched');
  const [actionId = ''] = await settledActions(surroundings, 1);
  await insertSettled(surroundings.BENCH_DATABASE_URL, actions - 1);
  const about = { ...surroundings, BENCH_ACTION_IDS: actionId, BENCH_ACTIONS: String(actions) };
  const getter = place.own(await startContender(import.meta.resolve('./clients/light-get.ts'), about));
  const watcher = place.own(await startContender(import.meta.resolve('./clients/watch-snapshots.ts'), about));
  await getter.ask({ inFlight, until: { lifecycles: 5_000 } });
  await watcher.ask({ inFlight: 4, until: { lifecycles: 20 } });
  const quiet = await getter.ask({ inFlight, until: { ms } });
  const storm = watcher.ask({ inFlight: watchers, until: { ms } });
  const beside = await getter.ask({ inFlight, until: { ms } });
  const snapshots = await storm;
  return { watchers, actions, quiet, beside, snapshots, residentBytes: residentBytes(server.pid) };
}
