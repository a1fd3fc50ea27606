/** `npm run bench`: how much Tether costs, beside what the same work costs without it. `--help` tells the rest. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { compareGets } from './gets.ts';
import { grow, growthSettings } from './growth.ts';
import { describeMachine } from './machine.ts';
import { watchMemory } from './memory.ts';
import { inPlace, type Place } from './place.ts';
import { type Profiled, profile } from './profile.ts';
import {
  comparisonText,
  footprintText,
  getsText,
  growthText,
  machineText,
  memoryText,
  targetText,
  watchersText,
} from './report.ts';
import { countStatements } from './statements.ts';
import { watchWatchers } from './watchers.ts';

const help = `npm run bench [-- options]

Measures lifecycles (stage, then confirm) per second through a real server, a real endpoint in another process and a
real PostgreSQL with fsync on, beside two floors: the same SQL alone, and a hand-written program. About five minutes.
Results are printed and written to bench/results/. docs/benchmarks.md says what they mean.

  --rounds N        rounds of the comparison; the median counts (default 3)
  --seconds N       length of each turn (default 1.5)
  --gets            instead: only the gets, by the gRPC door and by connect-node's own gRPC, and by the libraries alone
  --watchers        instead: 100 watchers who all begin at once, and what they leave of the server for others
  --memory          instead: the server's memory over many lifecycles (several minutes)
  --lifecycles N    how many, with --memory (default 100000)
  --growth          instead: from an empty table to a million actions, without an ANALYZE (several minutes, 4 GB)
  --profile DIR     instead: 20 s through the gRPC door at 32 in flight, and a CPU profile of the server in DIR;
                    with --gets: of gets
  --help            this text
`;

const progress = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`${text}\n\n`);

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly lifecycles: number;
  readonly mode: 'compare' | 'gets' | 'watchers' | 'memory' | 'growth' | 'profile';
  readonly profileInto: string;
  readonly profiled: Profiled;
}

/** Undefined when the reader asked for the help. Throws for options that make no sense. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '1.5' },
      lifecycles: { type: 'string', default: '100000' },
      gets: { type: 'boolean', default: false },
      watchers: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const number = (name: 'rounds' | 'seconds' | 'lifecycles'): number => {
    const value = Number(values[name]);
    if (value >= 1 && value <= 1e7) return value;
    throw new Error(`--${name} is ${JSON.stringify(values[name])}; it takes a number from 1 to 10000000`);
  };
  const other = (['gets', 'watchers', 'memory', 'growth'] as const).find((mode) => values[mode]);
  return {
    rounds: number('rounds'),
    seconds: number('seconds'),
    lifecycles: number('lifecycles'),
    mode: values.profile === undefined ? (other ?? 'compare') : 'profile',
    profileInto: values.profile ?? '',
    profiled: values.gets ? 'gets' : 'lifecycles',
  };
}

/** What a mode measures, told as text, and returned to be written down. */
async function measure(place: Place, options: Options): Promise<object> {
  switch (options.mode) {
    case 'compare': {
      const comparison = await compare(place, { rounds: options.rounds, ms: options.seconds * 1000, progress });
      const footprints = [
        await countStatements(place, { confirmKey: false }),
        await countStatements(place, { confirmKey: true }),
      ];
      print(comparisonText(comparison));
      const gets = await compareGets(place, { rounds: options.rounds, ms: options.seconds * 1000, progress });
      print(targetText(comparison));
      print(getsText(gets));
      print(footprintText(footprints));
      return { ...comparison, gets, footprints };
    }
    case 'gets': {
      const gets = await compareGets(place, { rounds: options.rounds, ms: options.seconds * 1000, progress });
      print(getsText(gets));
      return { gets };
    }
    case 'watchers': {
      const watched = await watchWatchers(place, options.seconds * 1000);
      print(watchersText(watched));
      return { watched };
    }
    case 'memory': {
      const memory = await watchMemory(place, { lifecycles: options.lifecycles, progress });
      print(memoryText(memory));
      return memory;
    }
    case 'growth': {
      const grown = await grow(place, progress);
      print(growthText(grown));
      return { grown };
    }
    case 'profile': {
      const measured = await profile(place, resolve(options.profileInto), options.profiled);
      print(
        `${measured.perSecond.toFixed(0)} ${options.profiled}/s under the profiler, which is in ${options.profileInto}`,
      );
      return measured;
    }
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) {
    process.stdout.write(help);
    return;
  }
  await inPlace(options.mode === 'growth' ? growthSettings : {}, async (place) => {
    const machine = await describeMachine(place.database);
    print(machineText(machine));
    const at = new Date().toISOString();
    const measured = await measure(place, options);
    const directory = join(import.meta.dirname, 'results');
    await mkdir(directory, { recursive: true });
    const file = join(directory, `${at.replaceAll(':', '-')}-${options.mode}.json`);
    await writeFile(file, `${JSON.stringify({ at, mode: options.mode, machine, ...measured }, null, 2)}\n`);
    progress(`written to ${file}`);
  });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
