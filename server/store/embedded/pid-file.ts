/** PostgreSQL's `postmaster.pid`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './home.ts';

/** What a pid file says; it may be stale. */
export interface PidFile {
  readonly pid: number;
  /** Undefined until PostgreSQL listens. */
  readonly port: number | undefined;
  readonly ready: boolean;
}

export function pidFileOf(home: Home): string {
  return join(home.data, 'postmaster.pid');
}

/** Reads the pid file; undefined when there is none, or one that is not finished yet. */
export async function readPidFile(home: Home): Promise<PidFile | undefined> {
  let text: string;
  try {
    text = await readFile(pidFileOf(home), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  // Line 1 is the pid, 4 the port, 8 the status; PostgreSQL's miscadmin.h declares the lines.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3] ?? '');
  return { pid, port: port > 0 ? port : undefined, ready: lines[7]?.trim() === 'ready' };
}
