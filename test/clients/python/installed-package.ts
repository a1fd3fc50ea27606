/** The Python package as others have it: built into a wheel, and installed from that into an environment of its own. */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute } from '../../../scripts/check/step.ts';
import { installPythonPackages } from '../../../scripts/python-packages.ts';

/** The package's own folder. */
export const source: string = fileURLToPath(new URL('../../../clients/python/', import.meta.url));

export interface InstalledPackage {
  /** The interpreter of the environment: it finds the package, and what it is tested with. */
  readonly python: string;
  /** Where those are that it is tested with. */
  readonly packages: string;
  /** The files of the wheel. */
  readonly files: readonly string[];
  /** A folder that goes with the environment. */
  readonly scratch: string;
  remove(): Promise<void>;
}

/** Rejects with what pip said. */
export async function installPackage(): Promise<InstalledPackage> {
  const packages = await installPythonPackages();
  const scratch = await mkdtemp(join(tmpdir(), 'tether-python-'));
  const environment = join(scratch, 'environment');
  const python = join(environment, 'bin', 'python');
  const copy = join(scratch, 'source');
  await copySource(copy);
  await run('python3', ['-m', 'venv', '--without-pip', environment]);
  const sites = await run(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  await writeFile(join(sites.trim(), 'tested-with.pth'), `${packages}\n`);
  const offline = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-index'];
  await run('env', [
    ...[`PYTHONPATH=${packages}`, 'python3', '-m', 'pip', 'wheel', ...offline],
    ...['--no-build-isolation', '--wheel-dir', join(scratch, 'wheels'), copy],
  ]);
  const [wheel = 'no wheel'] = await readdir(join(scratch, 'wheels'));
  const file = join(scratch, 'wheels', wheel);
  await run('python3', ['-m', 'pip', '--python', python, 'install', ...offline, file]);
  const listed = await run(python, [
    '-c',
    'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))',
    file,
  ]);
  return {
    ...{ python, packages, scratch },
    files: listed.trim().split('\n'),
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

/** Copies what a wheel is built from: what builds it writes beside that. */
export async function copySource(to: string): Promise<void> {
  for (const name of ['src', 'pyproject.toml', 'README.md'])
    await cp(join(source, name), join(to, name), { recursive: true });
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { ok, output } = await execute(program, args);
  if (!ok) throw new Error(`${[program, ...args].join(' ')} failed:\n${output}`);
  return output;
}
