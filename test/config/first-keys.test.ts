import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FirstKeys, type FirstTenants, saveFirstKeys } from '../../server/first-keys.ts';
import { makeFolder } from '../../server/store/embedded/make-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tether-keys-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const keysOf = (name: string): FirstKeys => ({
  tenant: 'demo',
  agent: `${name}-a`,
  approver: `${name}-b`,
  operator: `${name}-c`,
});
const making = (keys: FirstKeys): FirstTenants => ({
  async createFirstTenant(keep) {
    await keep(keys);
    return keys;
  },
});
const read = async (file: string) => JSON.parse(await readFile(join(dir, file), 'utf8'));

test('the keys of the first tenant stand in a file that only its owner reads', async () => {
  const saved = await saveFirstKeys(making(keysOf('one')), dir, makeFolder);
  expect(saved).toEqual({ file: join(dir, 'keys.json'), keys: keysOf('one') });
  expect(await read('keys.json')).toEqual(keysOf('one'));
  expect((await stat(join(dir, 'keys.json'))).mode & 0o777).toBe(0o600);
});

test('the keys of another database are moved aside, not lost', async () => {
  await saveFirstKeys(making(keysOf('one')), dir, makeFolder);
  await saveFirstKeys(making(keysOf('two')), dir, makeFolder);
  expect(await read('keys.json')).toEqual(keysOf('two'));
  const aside = (await readdir(dir)).filter((file) => file.startsWith('keys-until-'));
  expect(aside).toHaveLength(1);
  expect(await read(aside[0] ?? '')).toEqual(keysOf('one'));
});

test('a folder that cannot be written is told by its setting, and no tenant is made', async () => {
  for (const nowhere of ['/dev/null/x', '/proc/x', '/proc/x/y', '/proc/self/x']) {
    const call = saveFirstKeys(making(keysOf('one')), nowhere, makeFolder);
    await expect(call).rejects.toThrow(/TETHER_DATA_DIR/);
  }
});

test('a folder is made with those that it lies in, as often as it is asked for', async () => {
  const deep = join(dir, 'a', 'b', 'c');
  await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(join(dir, 'a', 'd'))]);
  await makeFolder(deep);
  expect(await readdir(join(dir, 'a'))).toEqual(['b', 'd']);
  expect((await stat(deep)).isDirectory()).toBe(true);
});
