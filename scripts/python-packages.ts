/**
 * The Python packages that clients/python is generated, checked and tested with. They are installed once for each list of them
 * and each interpreter, outside of the tree, and are found by PYTHONPATH or a `.pth` file: nothing of them is activated.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execute, type Verdict } from './check/step.ts';

const requirements = 'clients/python/tests/requirements.txt';

/** Whether there is a Python that can install packages, 3.10 or newer. */
export const canInstall = ['-c', 'import sys, pip, venv; sys.exit(sys.version_info < (3, 10))'] as const;

/** Where they are. Undefined without Python; null when they were not installed yet. */
export async function pythonPackagesInstalled(): Promise<string | null | undefined> {
  const probe = await execute('python3', [...canInstall]).catch(() => undefined);
  if (!probe?.ok) return undefined;
  const directory = await directoryOfPackages();
  return existsSync(directory) ? directory : null;
}

/** Installs them, if they are not there; resolves with where they are. Rejects with what pip said. */
export async function installPythonPackages(): Promise<string> {
  const directory = await directoryOfPackages();
  if (existsSync(directory)) return directory;
  const fresh = `${directory}.${randomUUID()}`;
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--only-binary=:all:'];
  const installed = await execute('python3', [
    '-m',
    'pip',
    'install',
    ...options,
    '--target',
    fresh,
    '-r',
    requirements,
  ]);
  if (!installed.ok) {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`pip could not install ${requirements}:\n${installed.output}`);
  }
  // Whole or not at all. Whoever was faster has installed the same.
  await rename(fresh, directory).catch(() => rm(fresh, { recursive: true, force: true }));
  return directory;
}

/** Writes what is generated for Python into `folder`/tether/v1. */
export function generatePython(packages: string, folder: string): Promise<Verdict> {
  return execute('env', [`PYTHONPATH=${packages}`, 'python3', '-B', 'clients/python/generate.py', folder]);
}

async function directoryOfPackages(): Promise<string> {
  const interpreter = await execute('python3', [
    '-c',
    'import sys, sysconfig; print(sys.version, sysconfig.get_platform())',
  ]);
  const list = await readFile(requirements, 'utf8');
  const name = createHash('sha256').update(interpreter.output).update(list).digest('hex').slice(0, 16);
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tether', `python-${name}`);
}
