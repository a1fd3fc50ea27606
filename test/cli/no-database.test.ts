import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tether } from './run.ts';

test.each([
  ['stop', ['stop', 'endpoint', 'pos', '--every-tenant', '--unchecked']],
  ['stop list', ['stop', 'list', '--every-tenant']],
  ['resume', ['resume', 'tenant', '--every-tenant']],
  ['keys list', ['keys', 'list', '--tenant', 'acme']],
  ['keys create of a tenant that there should be', ['keys', 'create', '--tenant', 'acme', '--role', 'agent']],
  ['keys revoke', ['keys', 'revoke', '0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33', '--tenant', 'acme']],
  ['webhooks list', ['webhooks', 'list', '--tenant', 'acme']],
  ['audit', ['audit', '--tenant', 'acme']],
  ['migrate --status', ['migrate', '--status']],
])('where there is no database, %s refuses and makes none', async (_, command) => {
  const dir = await mkdtemp(join(tmpdir(), 'tether-none-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const said = await tether(command, { TETHER_DATA_DIR: dir });
  expect(said.err).toContain(`There is no database in ${dir}: say with DATABASE_URL or TETHER_DATA_DIR which one`);
  expect(said).toMatchObject({ code: 1, out: '' });
  expect(await readdir(dir)).toEqual([]);
});
