import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { oneToolOfThisFile } from './one-tool.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A disk that is full. */
const full = '/dev/full';

const { directory, databaseUrl } = await oneToolOfThisFile();

test.runIf(existsSync(full)).for(['stderr', 'stdout'] as const)(
  'a server whose %s cannot be written to serves, and ends in order',
  async (unwritable) => {
    const fd = openSync(full, 'w');
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../server/main.ts')], {
      env: {
        ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrl, TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0' },
        ...{ TETHER_DATA_DIR: directory, TETHER_CATALOG: join(directory, 'tether.yaml'), TETHER_LOG_LEVEL: 'debug' },
      },
      stdio: ['ignore', unwritable === 'stdout' ? fd : 'pipe', unwritable === 'stderr' ? fd : 'pipe'],
    });
    closeSync(fd);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const readable = child.stdout ?? child.stderr;
    if (readable === null) throw new Error('one of the two is a pipe');
    const door = new Promise<string>((resolve, reject) => {
      createInterface(readable).on('line', (line) => {
        const url = /HTTP (http:\S+?),|"http":"(.+?)"/.exec(line);
        if (url !== null) resolve(url[1] ?? url[2] ?? '');
      });
      void ended.then(([code]) => reject(new Error(`it ended with ${code}`)));
    });
    const url = await door;
    // Each of these is told to the log.
    child.kill('SIGHUP');
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { timeout: 30_000 });
    expect((await fetch(`${url}/v1/tools`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
