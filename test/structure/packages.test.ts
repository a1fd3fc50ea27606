import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { packages } from '../../scripts/pack/packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifests = globSync('**/package.json', {
  cwd: root,
  exclude: (path) => path === 'node_modules' || path.endsWith('/node_modules'),
}).sort();

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const;

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function versionsIn(manifest: Record<string, unknown>): [string, unknown][] {
  return kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
}

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

test('every workspace is looked at', () => {
  const { workspaces } = read('package.json');
  expect(manifests).toEqual(expect.arrayContaining(['package.json']));
  for (const workspace of workspaces as string[]) expect(manifests).toContain(`${workspace}/package.json`);
});

test.each(manifests)('%s pins every package to one exact version', (file) => {
  expect(versionsIn(read(file)).filter(([, version]) => !exact.test(String(version)))).toEqual([]);
});

test('packages that several workspaces use have one version', () => {
  const versions = new Map<string, Set<string>>();
  for (const [name, version] of manifests.flatMap((file) => versionsIn(read(file))))
    versions.set(name, (versions.get(name) ?? new Set()).add(String(version)));
  expect([...versions].filter(([, each]) => each.size > 1).map(([name]) => name)).toEqual([]);
});

test('all MikroORM packages have the same version', () => {
  const versions = manifests
    .flatMap((file) => versionsIn(read(file)))
    .filter(([name]) => name.startsWith('@mikro-orm/'))
    .map(([, version]) => version);
  expect(new Set(versions).size).toBe(1);
});

test('the lock file names no registry: it installs from whichever one a machine uses', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, { resolved?: string }> };
  const remote = Object.entries(packages).filter(([, { resolved = '' }]) => /^[a-z+]+:/.test(resolved));
  expect(remote).toEqual([]);
});

test('the packages that are published have one version, that of the repository, and need each other in exactly that one', () => {
  const { version } = read('package.json');
  const ours = [...packages.map(({ folder }) => `${folder}/package.json`), 'package.json'].map(read);
  expect(ours.filter((manifest) => manifest.version !== version)).toEqual([]);
  const needed = manifests.flatMap((file) => versionsIn(read(file))).filter(([name]) => name.startsWith('@tether/'));
  expect(needed.filter(([, each]) => each !== version)).toEqual([]);
});

test('nothing can be published by accident', () => {
  expect(manifests.filter((file) => read(file).private !== true)).toEqual([]);
});

test('npm scripts have the names people expect', () => {
  const { scripts } = read('package.json');
  expect(Object.keys(scripts as object)).toEqual(
    expect.arrayContaining(['start', 'test', 'check', 'generate', 'lint', 'format', 'typecheck', 'bench']),
  );
});

test.runIf(process.platform === 'linux')(
  'npm scripts run on the Node that package.json names, whatever the machine has',
  () => {
    const named = new Map(versionsIn(read('package.json'))).get(`node-linux-${process.arch}`);
    expect(execFileSync(join(root, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' }).trim()).toBe(
      `v${named}`,
    );
  },
);
