/** The comparison: everybody at every level, in turns, several times; what counts is the median. */
import { startChild } from './children.ts';
import { type Contender, type Surroundings, startContender } from './contender.ts';
import { type Measured, median } from './load.ts';
import type { Place } from './place.ts';
import { childrenOf, residentBytes, watchCpu } from './process-facts.ts';

/** Lifecycles under way at once. */
export const levels = [1, 8, 32] as const;

/** The floors first. */
export const names = [
  'SQL alone',
  'hand-written',
  'hand-written server',
  'bare minimum',
  'Tether, gRPC',
  'Tether, Connect JSON',
  'Tether, Connect binary',
] as const;
export type Name = (typeof names)[number];

/** One contender at one level: the medians of its rounds. */
export interface Result {
  readonly name: Name;
  readonly inFlight: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time per lifecycle, microseconds; NaN where it cannot be known, or nobody takes that part. */
  readonly cpu: Cpu;
  readonly rounds: readonly Measured[];
}

interface Cpu {
  /** Who runs the loop: a client, or the hand-written program itself. */
  readonly caller: number;
  readonly server: number;
  readonly postgresql: number;
}

export interface Comparison {
  readonly results: readonly Result[];
  /** Resident bytes of Tether's server: before the first round, and after each turn. */
  readonly serverResidentBytes: readonly number[];
}

interface Taking {
  readonly name: Name;
  readonly contender: Contender;
  readonly serverPid: number | undefined;
}

interface Round {
  readonly measured: Measured;
  readonly cpu: Cpu;
}

export interface CompareOptions {
  readonly rounds: number;
  readonly ms: number;
  /** Told of each round as it ends. */
  readonly progress: (text: string) => void;
}

/** The compiler of V8 is done with the server's code after some thousand lifecycles, and until then it costs half as much again. */
const warmUp = { inFlight: 32, until: { lifecycles: 3_000 } };
const settleMs = 300;

export async function compare(place: Place, { rounds, ms, progress }: CompareOptions): Promise<Comparison> {
  const { taking, serverPid } = await everybody(place);
  for (const { name, contender } of taking) {
    await contender.ask(warmUp);
    progress(`${name} is warm`);
  }
  const serverResidentBytes = [residentBytes(serverPid)];
  const measured = new Map<string, Round[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const inFlight of levels) {
      // There and back again, so that nobody always comes after the same one.
      for (const each of round % 2 === 1 ? taking : taking.toReversed()) {
        const result = await measure(place, each, inFlight, ms);
        const key = `${each.name} ${inFlight}`;
        measured.set(key, [...(measured.get(key) ?? []), result]);
      }
      serverResidentBytes.push(residentBytes(serverPid));
      progress(`round ${round} of ${rounds}, ${inFlight} in flight`);
    }
  }
  const results = levels.flatMap((inFlight) =>
    names.map((name) => resultOf(name, inFlight, measured.get(`${name} ${inFlight}`) ?? [])),
  );
  return { results, serverResidentBytes };
}

async function everybody(place: Place): Promise<{ taking: Taking[]; serverPid: number }> {
  const { server, surroundings } = await place.serve('tether_served');
  const on = async (database: string) => ({
    ...surroundings,
    BENCH_DATABASE_URL: await place.database.create(database),
  });
  const served = await on('hand_written_served');
  const handWritten = place.own(
    await startChild<never, never>(import.meta.resolve('./floors/hand-written-server.ts'), served),
  );
  const behindIt = { ...served, BENCH_HTTP_URL: handWritten.ready };
  const start = async (name: Name, program: string, surroundings: Surroundings, serverPid?: number) => ({
    name,
    contender: place.own(await startContender(program, surroundings)),
    serverPid,
  });
  const taking = [
    await start('SQL alone', import.meta.resolve('./floors/sql.ts'), await on('sql_alone')),
    await start('hand-written', import.meta.resolve('./floors/hand-written.ts'), await on('hand_written')),
    await start('hand-written server', import.meta.resolve('./clients/hand-written.ts'), behindIt, handWritten.pid),
    await start('bare minimum', import.meta.resolve('./floors/bare.ts'), await on('bare_minimum')),
    await start('Tether, gRPC', import.meta.resolve('./clients/grpc.ts'), surroundings, server.pid),
    await start('Tether, Connect JSON', import.meta.resolve('./clients/connect-json.ts'), surroundings, server.pid),
    await start('Tether, Connect binary', import.meta.resolve('./clients/connect-binary.ts'), surroundings, server.pid),
  ];
  return { taking, serverPid: server.pid };
}

async function measure(place: Place, taking: Taking, inFlight: number, ms: number): Promise<Round> {
  const { contender, serverPid } = taking;
  // So that nobody pays in the measured time for what cooled down while the others had their turns.
  await contender.ask({ inFlight, until: { ms: settleMs } });
  const caller = watchCpu([contender.pid]);
  const server = watchCpu(serverPid === undefined ? [] : [serverPid]);
  const postgresql = watchCpu(place.postmasterPid === undefined ? [] : childrenOf(place.postmasterPid));
  const measured = await contender.ask({ inFlight, until: { ms } });
  const micros = (seconds: number) => (seconds / measured.lifecycles) * 1e6;
  return { measured, cpu: { caller: micros(caller()), server: micros(server()), postgresql: micros(postgresql()) } };
}

function resultOf(name: Name, inFlight: number, rounds: readonly Round[]): Result {
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  return {
    name,
    inFlight,
    perSecond: middle(({ measured }) => measured.perSecond),
    p50Ms: middle(({ measured }) => measured.p50Ms),
    p99Ms: middle(({ measured }) => measured.p99Ms),
    cpu: {
      caller: middle(({ cpu }) => cpu.caller),
      server: middle(({ cpu }) => cpu.server),
      postgresql: middle(({ cpu }) => cpu.postgresql),
    },
    rounds: rounds.map(({ measured }) => measured),
  };
}
