import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { DatabaseServer } from './database.ts';

/** What a figure is worth nothing without. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  /** Processes that wanted a processor in the minute before the run: more than a few, and the rates are theirs too. */
  readonly loadBefore: number;
  readonly system: string;
  readonly node: string;
  readonly postgresql: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

export async function describeMachine(database: DatabaseServer): Promise<Machine> {
  const show = async (setting: string) =>
    (await database.query<{ value: string }>('select current_setting($1) as value', [setting]))[0]?.value ?? '';
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0] ?? Number.NaN,
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    postgresql: await show('server_version'),
    fsync: await show('fsync'),
    synchronousCommit: await show('synchronous_commit'),
  };
}
