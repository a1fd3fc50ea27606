/** Making the data directory of a new PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exists } from './binaries.ts';
import { type Identity, run } from './command.ts';
import type { Home } from './home.ts';

/**
 * Makes the data directory, unless there is one. It is built beside and renamed when complete, so a crash leaves no half
 * of one, and of two servers that do this at once one wins and the other uses what it made.
 *
 * @param durable false saves the fsync of 1,000 files and the zeroes of the log, for data that need not survive a power
 *   failure.
 * @throws with what initdb said.
 */
export async function initialise(home: Home, identity: Identity, bin: string, durable: boolean): Promise<void> {
  if (await exists(home.data)) return;
  await removeLeftovers(home);
  const work = await mkdtemp(join(home.root, `data.new-${process.pid}-`));
  try {
    const data = join(work, 'data');
    const password = join(work, 'password');
    await writeFile(password, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
    if (identity.kind === 'user') {
      for (const path of [work, password]) await chown(path, identity.uid, identity.gid);
    }
    // The built-in C.UTF-8 collation is the same on every system and needs no locale installed.
    const { code, output } = await run(identity, [
      join(bin, 'initdb'),
      ...['-D', data, '--username=tether', `--pwfile=${password}`, '--auth=scram-sha-256', '--no-instructions'],
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(durable ? [] : ['--no-sync', '--set', 'wal_init_zero=off']),
    ]);
    if (code !== 0) throw new Error(`the embedded PostgreSQL could not be initialised: ${output.trim()}`);
    await rename(password, join(data, basename(home.password)));
    await rename(data, home.data);
    if (durable) await syncDirectory(dirname(home.data));
  } catch (error) {
    // Another server was faster.
    if (!(await exists(home.data))) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Removes what servers left behind that died in the middle. */
async function removeLeftovers(home: Home): Promise<void> {
  for (const name of await readdir(home.root)) {
    const pid = /^data\.new-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(home.root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
