import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const main = join(import.meta.dirname, '../../server/main.ts');

/** A server whose catalog is never read to its end, in the middle of reading it. */
async function stuck(env: Readonly<Record<string, string>>) {
  const dir = await mkdtemp(join(tmpdir(), 'tether-stuck-'));
  const catalog = join(dir, 'tether.yaml');
  await promisify(execFile)('mkfifo', [catalog]);
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, TETHER_CATALOG: catalog, TETHER_DATA_DIR: dir, ...env },
  });
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  // It opens when the server has opened it for reading.
  const writer = await open(catalog, 'w');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await writer.close();
    await rm(dir, { recursive: true });
  });
  return { child, ended, said };
}

test('a start that hangs ends by its signal when the time of a drain is over', async () => {
  const { child, ended, said } = await stuck({ TETHER_DRAIN_SECONDS: '0' });
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
  expect(await said).toContain('tether was still starting, and ends by SIGTERM');
});

test('a start that hangs ends at the second signal, whatever the time of a drain', async () => {
  const { child, ended, said } = await stuck({ TETHER_DRAIN_SECONDS: '3600' });
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, expect.stringMatching(/^SIG(INT|TERM)$/)]);
  expect(await said).toContain('tether was still starting');
});
