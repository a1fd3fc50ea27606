/** What Linux tells of a process; elsewhere nothing is known, and nothing is reported. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second, whatever the kernel's own tick is. */
const ticksPerSecond = 100;

/**
 * Begins to watch processes; called, it says how many processor seconds those that are still there have used since. NaN
 * where that cannot be known, or there are none.
 */
export function watchCpu(pids: readonly number[]): () => number {
  const before = new Map(pids.map((pid) => [pid, cpuSeconds(pid)]));
  return () => {
    const used = [...before].map(([pid, seconds]) => cpuSeconds(pid) - seconds).filter((seconds) => seconds >= 0);
    return used.length === 0 ? Number.NaN : used.reduce((sum, seconds) => sum + seconds);
  };
}

/** Processor seconds that a process has used since it began; NaN when there is none, or where that cannot be known. */
function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields?.[11]) + Number(fields?.[12])) / ticksPerSecond;
}

/** The processes that it started and that are alive. */
export function childrenOf(pid: number): number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
}

/** The process that started it; undefined where that cannot be known. */
export function parentOf(pid: number): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Resident memory now, bytes; NaN where that cannot be known. */
export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kibibytes) * 1024;
}

/** The fields of /proc/<pid>/stat after the name, which may hold anything; the state comes first. */
function statOf(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // No such process any more, or no such system.
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
