import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildInto } from './build.ts';
import { documentFor } from './document.ts';
import { publishedManifest, readManifest } from './manifest.ts';
import { type PublishedPackage, root } from './packages.ts';

export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** Bytes, compressed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  /** `sha512-…`, as a registry and a lock file name it. */
  readonly integrity: string;
  /** Every file in it, from the root of the package, sorted. */
  readonly files: readonly string[];
}

/**
 * Builds one package below `staging` and leaves its tarball in `out`. The same sources give the same bytes: npm writes neither
 * times nor owners into it, and nothing here does.
 */
export async function packOne(published: PublishedPackage, staging: string, out: string): Promise<Tarball> {
  const manifest = readManifest(published.folder);
  const folder = join(staging, manifest.name);
  mkdirSync(folder, { recursive: true });
  await buildInto(join(folder, 'dist'), published, manifest);
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify(publishedManifest(published, manifest), undefined, 2)}\n`,
  );
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const moved = (path: string): string | undefined => {
    const { sources } = published;
    const place = sources !== '.' && path.startsWith(`${sources}/`) ? `dist${path.slice(sources.length)}` : path;
    return !place.startsWith('..') && existsSync(join(folder, place)) ? place : undefined;
  };
  for (const [from, document] of [
    [published.folder, 'README.md'],
    ['.', 'CHANGELOG.md'],
  ] as const) {
    const text = readFileSync(join(root, from, document), 'utf8');
    writeFileSync(join(folder, document), documentFor(text, from, from === '.' ? () => undefined : moved));
  }
  return await npmPack(folder, out);
}

async function npmPack(folder: string, out: string): Promise<Tarball> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  const told: unknown = JSON.parse(stdout);
  // npm 11 tells a list; later ones an object by name.
  const [packed] = Object.values(told as object);
  const { name, version, filename, size, unpackedSize, integrity, files } = packed;
  const paths = files.map(({ path }: { path: string }) => path).sort();
  return { name, version, path: join(out, filename), size, unpackedSize, integrity, files: paths };
}
