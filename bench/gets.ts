/**
 * How fast one read is answered: by the gRPC door, and by connect-node's own gRPC in front of the same handlers; and by both
 * libraries with nothing behind them, which is all that a door could save.
 */
import { startChild } from './children.ts';
import { type Contender, startContender } from './contender.ts';
import { type Measured, median } from './load.ts';
import type { Place } from './place.ts';
import { childrenOf, watchCpu } from './process-facts.ts';
import { settledActions } from './settled-actions.ts';

/** Gets under way at once. */
const inFlight = 32;
/** That are got in turn: nobody is faster for being asked for the same again. */
const actions = 100;

export const getters = ['connect-node gRPC', 'Tether, gRPC', 'connect-node gRPC alone', 'grpc-js alone'] as const;
export type Getter = (typeof getters)[number];

/** The medians of the rounds. */
export interface GetRate {
  readonly name: Getter;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of each Get, microseconds; NaN where it cannot be known. */
  readonly cpu: { readonly caller: number; readonly server: number; readonly postgresql: number };
}

interface Taking {
  readonly name: Getter;
  readonly contender: Contender;
  readonly serverPid: number;
}

interface Round {
  readonly measured: Measured;
  readonly cpu: GetRate['cpu'];
}

export interface GetOptions {
  readonly rounds: number;
  readonly ms: number;
  readonly progress: (text: string) => void;
}

export async function compareGets(place: Place, { rounds, ms, progress }: GetOptions): Promise<readonly GetRate[]> {
  const taking = await everybody(place);
  // The compiler of V8 is done with a server's code after some ten thousand calls, and takes time from it until then.
  for (const { contender } of taking) await contender.ask({ inFlight, until: { lifecycles: 30_000 } });
  const measured = new Map<Getter, Round[]>(getters.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const each of round % 2 === 1 ? taking : taking.toReversed())
      measured.get(each.name)?.push(await measure(place, each, ms));
    progress(`gets, round ${round} of ${rounds}`);
  }
  return getters.map((name) => rateOf(name, measured.get(name) ?? []));
}

async function everybody(place: Place): Promise<readonly Taking[]> {
  const { server, surroundings } = await place.serve('gets');
  const ids = await settledActions(surroundings, actions);
  const about = { ...surroundings, BENCH_CATALOG: server.catalog, BENCH_ACTION_IDS: ids.join(' ') };
  const start = async (name: Getter, address: string, serverPid: number): Promise<Taking> => ({
    name,
    contender: place.own(
      await startContender(import.meta.resolve('./clients/light-get.ts'), { ...about, BENCH_GRPC_ADDRESS: address }),
    ),
    serverPid,
  });
  const startWith = async (name: Getter, program: string): Promise<Taking> => {
    const child = place.own(await startChild<never, never>(program, about));
    return start(name, child.ready, child.pid);
  };
  return [
    await startWith('connect-node gRPC', import.meta.resolve('./connect-grpc/server.ts')),
    await start('Tether, gRPC', server.grpcAddress, server.pid),
    await startWith('connect-node gRPC alone', import.meta.resolve('./bare/connect-node.ts')),
    await startWith('grpc-js alone', import.meta.resolve('./bare/grpc-js.ts')),
  ];
}

async function measure(place: Place, { contender, serverPid }: Taking, ms: number): Promise<Round> {
  await contender.ask({ inFlight, until: { ms: 300 } });
  const caller = watchCpu([contender.pid]);
  const server = watchCpu([serverPid]);
  const postgresql = watchCpu(place.postmasterPid === undefined ? [] : childrenOf(place.postmasterPid));
  const measured = await contender.ask({ inFlight, until: { ms } });
  const micros = (seconds: number) => (seconds / measured.lifecycles) * 1e6;
  return { measured, cpu: { caller: micros(caller()), server: micros(server()), postgresql: micros(postgresql()) } };
}

function rateOf(name: Getter, rounds: readonly Round[]): GetRate {
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  return {
    name,
    perSecond: middle(({ measured }) => measured.perSecond),
    p50Ms: middle(({ measured }) => measured.p50Ms),
    p99Ms: middle(({ measured }) => measured.p99Ms),
    cpu: {
      caller: middle(({ cpu }) => cpu.caller),
      server: middle(({ cpu }) => cpu.server),
      postgresql: middle(({ cpu }) => cpu.postgresql),
    },
  };
}
