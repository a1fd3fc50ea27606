/** From the `package.json` of the workspace, which runs TypeScript as it is, to the one that is published. */
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { type PublishedPackage, root } from './packages.ts';

/** A `package.json`, as far as packing reads it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly sideEffects?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** One way into a package: what its user imports, and the file of its sources behind that. */
interface Entry {
  readonly specifier: string;
  readonly source: string;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

/** What can be imported of a package. A pattern in the workspace's `exports` becomes one entry for each of its files. */
export function entriesOf({ folder, sources, entries }: PublishedPackage, manifest: Manifest): Entry[] {
  if (entries !== undefined) {
    const files = entries.flatMap((pattern) => globSync(pattern, { cwd: join(root, folder, sources) })).sort();
    return files.map((source) => ({ specifier: `./${source.replace(/\.ts$/, '.js')}`, source }));
  }
  return Object.entries(manifest.exports ?? {}).map(([specifier, target]) => ({
    specifier,
    source: below(sources, target),
  }));
}

/** The commands that a package brings, by name, each with the file of its sources. */
export function commandsOf({ sources }: PublishedPackage, manifest: Manifest): Map<string, string> {
  return new Map(Object.entries(manifest.bin ?? {}).map(([name, target]) => [name, below(sources, target)]));
}

/** What npm is given. Only what is named here goes in, so that a field of the workspace's is never published by accident. */
export function publishedManifest(published: PublishedPackage, manifest: Manifest): object {
  const entries = entriesOf(published, manifest).map(({ specifier, source }) => [specifier, exported(source)]);
  const commands = [...commandsOf(published, manifest)].map(([name, source]) => [name, built(source)]);
  const repository = readManifest('.').repository;
  return {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    ...(repository && { repository: { ...repository, directory: published.folder } }),
    type: 'module',
    sideEffects: manifest.sideEffects,
    engines: manifest.engines,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    files: ['dist', 'CHANGELOG.md'],
    dependencies: manifest.dependencies,
    optionalDependencies: manifest.optionalDependencies,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
    publishConfig: { access: 'public', provenance: true },
  };
}

function below(sources: string, target: string): string {
  return normalize(target).slice(sources === '.' ? 0 : sources.length + 1);
}

function exported(source: string): string | { types: string; default: string } {
  if (!source.endsWith('.ts')) return `./dist/${source}`;
  return { types: `./dist/${source.replace(/\.ts$/, '.d.ts')}`, default: `./${built(source)}` };
}

function built(source: string): string {
  return `dist/${source.replace(/\.ts$/, '.js')}`;
}
