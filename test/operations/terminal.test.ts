import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { oneToolOfThisFile } from './one-tool.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Runs a command in a terminal of its own; who kills it closes that terminal. */
const script = '/usr/bin/script';
const main = join(import.meta.dirname, '../../server/main.ts');

const { directory, databaseUrl } = await oneToolOfThisFile();

test.runIf(process.platform === 'linux' && existsSync(script))(
  'a server reads its catalog again on SIGHUP, and stops in order when the terminal is closed that it was started in',
  async () => {
    const file = join(directory, 'log');
    const terminal = spawn(script, ['-qec', `exec '${process.execPath}' '${main}' 2>'${file}'`, '/dev/null'], {
      env: {
        ...{ PATH: process.env.PATH, SHELL: '/bin/sh', DATABASE_URL: databaseUrl },
        ...{ TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0' },
        ...{ TETHER_DATA_DIR: directory, TETHER_CATALOG: join(directory, 'tether.yaml') },
      },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const said = (message: string) =>
      vi.waitFor(
        async () => {
          const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').map(parsed);
          const found = lines.find(({ msg }) => msg === message);
          if (found === undefined) throw new Error(`the log does not say "${message}" yet`);
          return found;
        },
        { timeout: 60_000, interval: 100 },
      );
    const { pid, http } = await said('the doors are open');
    const end = (signal: NodeJS.Signals | 0) => process.kill(Number(pid), signal);
    onTestFinished(() => {
      try {
        end('SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    });
    await vi.waitFor(async () => expect((await fetch(`${http}/readyz`)).status).toBe(200), { timeout: 60_000 });
    end('SIGHUP');
    await said('tether.yaml was read again');
    terminal.kill('SIGKILL');
    await said('stopping');
    await vi.waitFor(() => expect(() => end(0)).toThrow('ESRCH'), { timeout: 60_000 });
  },
);

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
