/** As whom PostgreSQL may run here, and what has to move or change hands for that. */
import { createHash } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from './binaries.ts';
import { type Identity, run, self } from './command.ts';
import { type Home, homeAt, movedTo } from './home.ts';
import { lockHeld, underLock } from './lock.ts';

/** What this system is taken to forbid, and where data move that must move. For tests of what happens elsewhere. */
export interface Constraints {
  /** Whether root may make user namespaces; default: tried. */
  readonly namespaces?: boolean;
  /** Where root keeps data that `nobody` must reach; default `/var/lib/tether`. */
  readonly shared?: string;
}

/**
 * Decides as whom PostgreSQL runs; the owner of existing data decides first.
 *
 * Root runs it in a user namespace. Where that is forbidden (as in many containers), it runs as `nobody`, who must own
 * the data and be able to enter their directory; else they move to `/var/lib/tether/<hash of the path>`.
 *
 * @returns undefined when the data are in use and cannot change hands now.
 * @throws when PostgreSQL cannot run here; the message says what to do.
 */
export async function settleIn(
  place: string,
  home: Home,
  constraints: Constraints,
): Promise<{ home: Home; identity: Identity } | undefined> {
  const uid = process.getuid?.();
  const owner = await stat(home.data).catch(() => undefined);
  if (uid !== 0) {
    if (owner === undefined || owner.uid === uid) return { home, identity: self };
    throw new Error(`${home.data} belongs to user ${owner.uid}: run the server as that user, or set TETHER_DATA_DIR`);
  }
  if (owner !== undefined && owner.uid !== 0) {
    return { home, identity: { kind: 'user', uid: owner.uid, gid: owner.gid } };
  }
  const namespaces = constraints.namespaces ?? (await run({ kind: 'namespace' }, ['true'])).code === 0;
  if (namespaces) return { home, identity: { kind: 'namespace' } };
  const identity = await nobody();
  const moved = (await canEnter(identity, home.root)) ? home : await findRoom(place, identity, constraints);
  const done = await handOver(home, moved, identity);
  if (!done) return undefined;
  if (moved !== home) await writeFile(movedTo(place), `${moved.root}\n`);
  return { home: moved, identity };
}

async function nobody(): Promise<Identity & { kind: 'user' }> {
  const [uid, gid] = await Promise.all([run(self, ['id', '-u', 'nobody']), run(self, ['id', '-g', 'nobody'])]);
  if (uid.code === 0 && gid.code === 0) return { kind: 'user', uid: Number(uid.output), gid: Number(gid.output) };
  throw new Error(
    'PostgreSQL refuses to run as root, user namespaces are forbidden here, and there is no user "nobody" to run it as: ' +
      'run the server as a normal user, or set DATABASE_URL',
  );
}

async function canEnter(identity: Identity, directory: string): Promise<boolean> {
  return (await run(identity, ['sh', '-c', 'cd "$0"', directory])).code === 0;
}

/** Makes a directory outside that the identity can enter. */
async function findRoom(place: string, identity: Identity, constraints: Constraints): Promise<Home> {
  const shared = constraints.shared ?? '/var/lib/tether';
  const home = homeAt(join(shared, createHash('sha256').update(place).digest('hex').slice(0, 16)));
  await mkdir(home.root, { recursive: true, mode: 0o755 });
  if (await canEnter(identity, home.root)) return home;
  throw new Error(
    `PostgreSQL would have to run as "nobody", who can enter neither ${place} nor ${home.root}: ` +
      'set TETHER_DATA_DIR to a directory that others can enter, or set DATABASE_URL',
  );
}

/** Gives root's data, if there are any, to the identity, copied when they must move; false when they are in use. */
async function handOver(from: Home, to: Home, identity: Identity & { kind: 'user' }): Promise<boolean> {
  if (!(await exists(from.data))) return true;
  // Data there without a `moved-to` here belong to an earlier life of this path.
  if (to !== from && (await exists(to.data))) await rename(to.data, `${to.data}.before-${Date.now()}`);
  const script = 'if [ "$1" != "$2" ]; then rm -rf "$2" && cp -a "$1" "$2"; fi && chown -R "$3" "$2"';
  const target = to === from ? from.data : `${to.data}.partial`;
  const command = ['sh', '-ec', script, 'sh', from.data, target, `${identity.uid}:${identity.gid}`];
  const { code, output } = await run(self, await underLock(from.lock, command));
  if (code === lockHeld) return false;
  if (code !== 0) throw new Error(`the data could not be given to user ${identity.uid}: ${output.trim()}`);
  if (to !== from) {
    await rename(target, to.data);
    await rename(from.data, `${from.data}.moved`);
  }
  return true;
}
