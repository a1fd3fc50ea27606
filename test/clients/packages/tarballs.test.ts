import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packAll } from '../../../scripts/pack/pack-all.ts';
import type { Tarball } from '../../../scripts/pack/pack-one.ts';
import { packages, root } from '../../../scripts/pack/packages.ts';
import { unpack } from './unpack.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let home: string;
let tarballs: readonly Tarball[];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tether-tarballs-'));
  tarballs = await packAll(join(home, 'once'));
  for (const tarball of tarballs) {
    await unpack(tarball.path, join(home, tarball.name));
    console.log(`${tarball.name}: ${tarball.files.length} files, ${tarball.size} bytes`);
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

const names = packages.map((published) => ({
  ...published,
  name: JSON.parse(readFileSync(join(root, published.folder, 'package.json'), 'utf8')).name as string,
}));

function tarballOf(name: string): Tarball {
  const found = tarballs.find((tarball) => tarball.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
}

function manifestOf(name: string) {
  return JSON.parse(readFileSync(join(home, name, 'package.json'), 'utf8'));
}

/** What can be imported that has types. */
function waysIn(name: string): string[] {
  return Object.keys(manifestOf(name).exports).filter((way) => !/\.sql$|^\.\/package\.json$/.test(way));
}

/** Rejects with what it found when a way in resolves wrongly; not for CommonJS nor for the resolution of Node 10, which are not served. */
async function attw(tarball: string) {
  const excluded = ['--exclude-entrypoints', './package.json', './ledger.sql'];
  const args = [tarball, '--profile', 'esm-only', '--format', 'json', ...excluded];
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/attw'), args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

/** Every file that a package's `exports` and `bin` lead to. */
function targets(value: unknown): string[] {
  if (typeof value === 'string') return [value.replace(/^\.\//, '')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(targets) : [];
}

describe.each(names)('$name', ({ name, folder, sources, assets = [] }) => {
  const read = (file: string) => readFileSync(join(home, name, file), 'utf8');

  test('has what belongs in it and nothing else: what its sources became, and what a reader needs', () => {
    const { files } = tarballOf(name);
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    expect(files).toEqual(expect.arrayContaining(documents));
    const { exports = {}, bin = {} } = manifestOf(name);
    const named = targets(exports).concat(targets(bin));
    expect(files).toEqual(expect.arrayContaining(named));
    const sourceOf = (file: string) => file.replace(/^dist\//, `${folder}/${sources}/`).replace(/(\.d\.ts|\.js)$/, '');
    const strange = files.filter((file) => {
      if (documents.includes(file)) return false;
      if (!/^dist\/[\w./-]+(\.d\.ts|\.js)$/.test(file)) {
        return !named.includes(file) && !assets.some((asset) => file === `dist/${asset}`);
      }
      const source = join(root, sourceOf(file));
      return !existsSync(`${source}.ts`) && !existsSync(`${source}.json`);
    });
    expect(strange).toEqual([]);
    expect(files.filter((file) => /test|\.map$|tsconfig|\.env|(?<!\.d)\.ts$|node_modules/.test(file))).toEqual([]);
  });

  test('has types for every way in', () => {
    for (const way of waysIn(name)) {
      const target: unknown = manifestOf(name).exports[way];
      expect(Object.keys(Object(target)), way).toEqual(['types', 'default']);
      expect(
        targets(target).every((file) => existsSync(join(home, name, file))),
        way,
      ).toBe(true);
    }
  });

  test('leads nowhere outside of it: no TypeScript, no source map, no path of the machine, no dead link', () => {
    for (const file of tarballOf(name).files.filter((each) => /\.(js|d\.ts)$/.test(each))) {
      const code = read(file);
      expect(code, file).not.toMatch(/sourceMappingURL|(from|import)\s*\(?\s*['"][^'"]*(?<!\.d)\.ts['"]/);
      expect(code, file).not.toContain(root);
    }
    for (const document of ['README.md', 'CHANGELOG.md']) {
      for (const [, target = ''] of read(document).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (!/^([a-z]+:|#)/.test(target))
          expect(existsSync(join(home, name, target)), `${document}: ${target}`).toBe(true);
      }
    }
  });

  test('says whose it is and what it needs, and nothing of the workspace', () => {
    const manifest = manifestOf(name);
    expect(manifest).toMatchObject({ name, license: 'Apache-2.0', type: 'module', engines: { node: '>=22.18' } });
    expect(manifest.description).toMatch(/\w/);
    for (const field of ['private', 'scripts', 'devDependencies', 'workspaces'])
      expect(manifest).not.toHaveProperty(field);
    for (const [sibling, version] of Object.entries(manifest.dependencies)) {
      if (sibling.startsWith('@tether/')) expect([sibling, version]).toEqual([sibling, tarballOf(sibling).version]);
    }
  });

  test('publint finds nothing to say, not even a suggestion', async () => {
    const tarball = (await readFile(tarballOf(name).path)).buffer;
    const { messages } = await publint({ pack: { tarball }, level: 'suggestion', strict: true });
    expect(messages.map((message) => formatMessage(message, manifestOf(name), { color: false }))).toEqual([]);
  });

  test('its types are those of its code, for Node and for bundlers', async () => {
    const { analysis } = await attw(tarballOf(name).path);
    if (name === '@tether/server') expect(analysis.types, 'a program, which nobody imports').toBe(false);
    else expect(Object.keys(analysis.entrypoints).sort()).toEqual(waysIn(name).sort());
  });
});

test('every workspace with a name of ours is packed, except the examples', () => {
  const manifests = globSync('{gen,server,clients/*}/package.json', { cwd: root });
  expect(packages.map(({ folder }) => `${folder}/package.json`).sort()).toEqual(manifests.sort());
});

test('the same sources give the same bytes', async () => {
  const again = await packAll(join(home, 'again'));
  const sums = (each: readonly Tarball[]) =>
    each.map(({ name, path }) => `${createHash('sha256').update(readFileSync(path)).digest('hex')} ${name}`);
  expect(sums(again)).toEqual(sums(tarballs));
  expect(await readdir(join(home, 'again'))).toHaveLength(packages.length);
});
