/** The tables that a person reads. */
import { type Comparison, levels, type Name, names, type Result } from './compare.ts';
import type { GetRate, Getter } from './gets.ts';
import type { Cost, Grown } from './growth.ts';
import type { Measured } from './load.ts';
import type { Machine } from './machine.ts';
import type { Memory } from './memory.ts';
import type { Footprint } from './statements.ts';
import type { Watched } from './watchers.ts';

export function machineText(machine: Machine): string {
  const { cores, processor, memoryGiB, loadBefore, system, node, postgresql, fsync, synchronousCommit } = machine;
  return [
    `${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, Node ${node}`,
    `PostgreSQL ${postgresql}, fsync ${fsync}, synchronous_commit ${synchronousCommit}; everything shares this machine`,
    `load average before the run: ${loadBefore.toFixed(1)}`,
  ].join('\n');
}

const floors: readonly Name[] = ['SQL alone', 'hand-written', 'hand-written server', 'bare minimum'];

export function comparisonText({ results }: Comparison): string {
  const find = (name: Name, inFlight: number) =>
    results.find((result) => result.name === name && result.inFlight === inFlight);
  const rows = levels.flatMap((inFlight) => [
    [],
    ...names.flatMap((name) => {
      const result = find(name, inFlight);
      if (result === undefined) return [];
      const ratios = floors.map((floor) =>
        floors.includes(name) ? '' : times(result.perSecond / (find(floor, inFlight)?.perSecond ?? Number.NaN)),
      );
      return [[...cells(result), ...ratios]];
    }),
  ]);
  const head = ['in flight', 'who', 'per second', 'p50 ms', 'p99 ms', 'CPU µs: caller', 'server', 'PostgreSQL'];
  return table([[...head, ...floors.map((floor) => `÷ ${floor}`)], ...rows]);
}

function cells({ name, inFlight, perSecond, p50Ms, p99Ms, cpu }: Result): string[] {
  return [String(inFlight), name, whole(perSecond), p50Ms.toFixed(1), p99Ms.toFixed(1), ...cpuCells(cpu)];
}

function cpuCells({ caller, server, postgresql }: Result['cpu']): string[] {
  return [caller, server, postgresql].map((micros) => (Number.isNaN(micros) ? '' : whole(micros)));
}

/** At 32 in flight, the better door against the hand-written program: by rate, and by the processor time of each lifecycle. */
export function targetText({ results }: Comparison): string {
  const inFlight = Math.max(...levels);
  const at = results.filter((result) => result.inFlight === inFlight);
  const doors = at.filter(({ name }) => name.startsWith('Tether'));
  const handWritten = at.find(({ name }) => name === 'hand-written');
  if (handWritten === undefined) return '';
  const rate = Math.max(...doors.map(({ perSecond }) => perSecond)) / handWritten.perSecond;
  const cost = processorTime(handWritten) / Math.min(...doors.map(processorTime));
  return [
    `target: at ${inFlight} in flight at least 0.50 of the hand-written program's rate; the best door has ${times(rate)}: ${rate >= 0.5 ? 'met' : 'MISSED'}`,
    `by processor time, which what else runs here changes less: ${times(cost)}`,
  ].join('\n');
}

function processorTime({ cpu }: Result): number {
  return [cpu.caller, cpu.server, cpu.postgresql].reduce((sum, micros) => sum + (micros || 0), 0);
}

export function footprintText(footprints: readonly Footprint[]): string {
  return footprints
    .flatMap(({ confirmKey, statements, writingCommits, allCommits, walBytes, breakdown }) => [
      `a lifecycle ${confirmKey ? 'with' : 'without'} an idempotency key asks PostgreSQL for`,
      `  ${statements.toFixed(2)} statements (target: at most 5), ${writingCommits.toFixed(2)} commits that write (at most 3), ` +
        `${allCommits.toFixed(2)} commits in all, ${whole(walBytes)} bytes of WAL`,
      ...breakdown.map(({ text, perLifecycle }) => `    ${perLifecycle.toFixed(2)} × ${text}`),
    ])
    .join('\n');
}

export function memoryText({ samples, residentTrend, heapTrend }: Memory): string {
  const rows = samples.map(({ lifecycles, residentBytes, heapBytes, perSecond }) => [
    String(lifecycles),
    mebibytes(residentBytes),
    mebibytes(heapBytes),
    whole(perSecond),
  ]);
  return [
    table([['lifecycles', 'resident MiB', 'live heap MiB', 'per second'], [], ...rows]),
    `last third over the middle third: resident ${residentTrend.toFixed(3)}, live heap ${heapTrend.toFixed(3)} (1 is flat)`,
  ].join('\n');
}

/** Gets with 32 in flight; what the gRPC door is for. */
export function getsText(rates: readonly GetRate[]): string {
  const rows = rates.map(({ name, perSecond, p50Ms, p99Ms, cpu }) => [
    name,
    whole(perSecond),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    ...cpuCells(cpu),
  ]);
  const of = (wanted: Getter) => rates.find(({ name }) => name === wanted);
  const rate = (name: Getter) => of(name)?.perSecond ?? Number.NaN;
  const cpu = (name: Getter) => of(name)?.cpu.server ?? Number.NaN;
  const ratio = rate('Tether, gRPC') / rate('connect-node gRPC');
  return [
    table([
      ['gets at 32 in flight', 'per second', 'p50 ms', 'p99 ms', 'CPU µs: caller', 'server', 'PostgreSQL'],
      [],
      ...rows,
    ]),
    `target: at least 2.50 of connect-node's own gRPC: ${times(ratio)}: ${ratio >= 2.5 ? 'met' : 'MISSED'}`,
    `by processor time of the server: ${times(cpu('connect-node gRPC') / cpu('Tether, gRPC'))}; with nothing behind the libraries: ${times(cpu('connect-node gRPC alone') / cpu('grpc-js alone'))}`,
  ].join('\n');
}

export function watchersText({ watchers, actions, quiet, beside, snapshots, residentBytes }: Watched): string {
  const row = (name: string, { perSecond, p50Ms, p99Ms }: Measured) => [
    name,
    perSecond.toFixed(1),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
  return [
    table([
      ['', 'per second', 'p50 ms', 'p99 ms'],
      [],
      row('gets, no watcher', quiet),
      row(`gets beside ${watchers} watchers`, beside),
      row(`snapshots of ${actions} actions`, snapshots),
    ]),
    `the server's memory afterwards: ${mebibytes(residentBytes)} MiB`,
  ].join('\n');
}

export function growthText(grown: readonly Grown[]): string {
  const rows = grown.flatMap(({ actions, lifecycles, gets }) => [
    [String(actions), 'lifecycle', ...costs(lifecycles)],
    [String(actions), 'get', ...costs(gets)],
  ]);
  const head = [
    'actions',
    'one in flight',
    'per second',
    'p50 ms',
    'p99 ms',
    'PostgreSQL CPU µs',
    'pages',
    'WAL bytes',
  ];
  return table([head, [], ...rows]);
}

function costs({ perSecond, p50Ms, p99Ms, postgresqlCpu, pages, walBytes }: Cost): string[] {
  return [whole(perSecond), p50Ms.toFixed(2), p99Ms.toFixed(2), whole(postgresqlCpu), whole(pages), whole(walBytes)];
}

const whole = (value: number) => value.toFixed(0);
const times = (ratio: number) => ratio.toFixed(2);
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

/** Columns side by side, numbers to the right; an empty row is an empty line. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const padded = (cell: string, column: number) =>
    /[a-z]/i.test(cell) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}
