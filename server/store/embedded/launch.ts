/** Starting PostgreSQL on its data directory. */
import { once } from 'node:events';
import { chmod, chown, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Identity, run, self, spawnAs } from './command.ts';
import type { Home } from './home.ts';
import { lockHeld, underLock } from './lock.ts';
import { pidFileOf, readPidFile } from './pid-file.ts';

/** `busy`: a PostgreSQL runs on the data, is starting or is not gone yet. `port-taken`: somebody else got the port. */
export type Launched = 'ready' | 'busy' | 'port-taken';

const maxLogBytes = 10 * 1024 * 1024;

/**
 * Starts PostgreSQL and waits until it accepts connections.
 *
 * It listens on 127.0.0.1 only: a Unix socket fails when its path has more than 107 bytes.
 *
 * @param port taken by chance from those that are free, unless given.
 * @throws with PostgreSQL's own last words when it does not come up.
 */
export async function launch(
  home: Home,
  identity: Identity,
  bin: string,
  settings: Readonly<Record<string, string>>,
  port?: number,
): Promise<Launched> {
  await checkVersion(home, bin);
  if (!(await mayRemovePidFile(home))) return 'busy';
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...quiet, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const postgres = [join(bin, 'postgres'), '-D', home.data, '-p', String(port ?? (await freePort())), ...options];
  // Under the lock a pid file is stale, and must go: PostgreSQL believes one that names any live process.
  const start = ['sh', '-c', 'rm -f "$0" && exec "$@"', pidFileOf(home), ...postgres];

  await rotateLog(home);
  await makeLockFile(home, identity);
  const log = await open(home.log, 'a');
  try {
    const from = (await log.stat()).size;
    const child = spawnAs(identity, await underLock(home.lock, start), log.fd);
    let ended: { code: number | null } | undefined;
    child.once('error', () => {
      ended = { code: null };
    });
    child.once('exit', (code) => {
      ended = { code };
    });
    child.unref();
    while (ended === undefined) {
      const file = await readPidFile(home);
      if (file?.pid === child.pid && file?.ready) return 'ready';
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (ended.code === lockHeld) return 'busy';
    const words = (await readFile(home.log)).subarray(from).toString().trim();
    if (/could not bind .* address/i.test(words)) return 'port-taken';
    if (/lock file "postmaster.pid" already exists/.test(words)) return 'busy';
    throw new Error(`the embedded PostgreSQL did not start; its log is ${home.log}:\n${words.slice(-2000)}`);
  } finally {
    await log.close();
  }
}

/** A log that nobody reads should not grow by what is no news; one time zone, whatever the machine's. */
const quiet = { log_checkpoints: 'off', log_timezone: 'UTC', timezone: 'UTC' };

async function checkVersion(home: Home, bin: string): Promise<void> {
  const theirs = (await readFile(join(home.data, 'PG_VERSION'), 'utf8')).trim();
  const { output } = await run(self, [join(bin, 'postgres'), '--version']);
  const ours = /\) (\d+)/.exec(output)?.[1];
  if (theirs === ours) return;
  throw new Error(
    `${home.data} was made by PostgreSQL ${theirs}, and this release brings PostgreSQL ${ours}: dump it with the release ` +
      'that made it and restore it here, or serve it with PostgreSQL of that version and set DATABASE_URL',
  );
}

/** Without flock(1) there is no proof that a pid file is stale; a process that is not PostgreSQL is proof enough. */
async function mayRemovePidFile(home: Home): Promise<boolean> {
  if ((await underLock(home.lock, [])).length > 0) return true;
  const file = await readPidFile(home);
  if (file === undefined) return true;
  const { output } = await run(self, ['ps', '-o', 'command=', '-p', String(file.pid)]);
  return !output.includes('postgres');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}

/** Closed to others: whoever can open it can lock it. */
async function makeLockFile(home: Home, identity: Identity): Promise<void> {
  await writeFile(home.lock, '', { flag: 'a' });
  await chmod(home.lock, 0o600);
  if (identity.kind === 'user') await chown(home.lock, identity.uid, identity.gid);
}

async function rotateLog(home: Home): Promise<void> {
  const size = await stat(home.log).then(
    (file) => file.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(home.log, `${home.log}.1`);
}
