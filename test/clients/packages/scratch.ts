/** A project of somebody else's: the packed tarballs, what they need from the registry, and programs over them. No workspace link. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packAll } from '../../../scripts/pack/pack-all.ts';
import { root } from '../../../scripts/pack/packages.ts';

export interface Scratch {
  readonly folder: string;
  remove(): Promise<void>;
}

/** What programs have beside the packages, in the versions of the workspace: its frameworks, its ways to a database, and types. */
const beside = [
  '@connectrpc/connect',
  '@connectrpc/connect-node',
  '@grpc/grpc-js',
  '@mikro-orm/core',
  '@mikro-orm/postgresql',
  '@types/node',
  '@types/pg',
  'drizzle-orm',
  'fastify',
  'kysely',
  'pg',
];

/** Packs everything and installs it, with these programs beside it. Nothing is built: what runs there is what was packed. */
export async function createScratch(programs: readonly string[]): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'tether-consumer-'));
  const tarballs = await packAll(join(folder, 'packed'));
  const versions: Record<string, string> = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  ).devDependencies;
  const dependencies = Object.fromEntries([
    ...tarballs.map(({ name, path }) => [name, `file:packed/${basename(path)}`]),
    ...beside.map((name) => [name, versions[name]]),
  ]);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  // `npm ci` has what this needs in its cache.
  const quickly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', ...quickly], { cwd: folder });
  await mkdir(join(folder, 'src'));
  for (const program of programs) await cp(join(root, program), join(folder, 'src', basename(program)));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** What TypeScript has to say of the project under these options, line by line, with JavaScript written to `out` if it is named. */
export async function compile(folder: string, compilerOptions: object, include: readonly string[]): Promise<string[]> {
  const strict = { strict: true, skipLibCheck: false, target: 'es2024', rewriteRelativeImportExtensions: true };
  const config = join(folder, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...strict, rootDir: 'src', ...compilerOptions }, include }),
  );
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', config], { cwd: folder, maxBuffer: 2 ** 26 }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout.split('\n').filter((line) => line !== '');
}
