/** `server/main.ts` as a program: what it says, and how it ends. Unlike `startServer`, it need not become ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServerProgram {
  /** Every line of its log, in order; a line that is no JSON is `{ text }`. */
  readonly log: readonly Record<string, unknown>[];
  /** What it printed. */
  readonly out: readonly string[];
  /** The first line of the log with that message; waits for it, and rejects when it ended without. */
  said(message: string): Promise<Record<string, unknown>>;
  /** Where it listens, before it is ready. */
  doors(): Promise<{ readonly http: string; readonly grpc: string }>;
  /** Resolves once it printed the line that says so; rejects when it ended without. */
  ready(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

const main = join(import.meta.dirname, '../../server/main.ts');

export function runServer(env: Readonly<Record<string, string>>): ServerProgram {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0', ...env },
  });
  const log: Record<string, unknown>[] = [];
  const out: string[] = [];
  const waiting = new Set<() => void>();
  const ended = once(child, 'close').then(() => child.exitCode);
  let over = false;
  const heard = () => {
    for (const look of waiting) look();
  };
  createInterface(child.stderr).on('line', (line) => {
    log.push(parsed(line));
    heard();
  });
  createInterface(child.stdout).on('line', (line) => {
    out.push(line);
    heard();
  });
  void ended.then(() => {
    over = true;
    heard();
  });

  function until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && !over) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`the server ended: ${JSON.stringify(log)}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  }

  const said = (message: string) => until(() => log.find(({ msg }) => msg === message));
  return {
    log,
    out,
    said,
    async doors() {
      const { http, grpc } = await said('the doors are open');
      return { http: String(http), grpc: String(grpc) };
    },
    async ready() {
      await until(() => out.find((line) => line.startsWith('tether is ready: ')));
    },
    signal: (name) => void child.kill(name),
    ended,
  };
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return { text: line };
  }
}
