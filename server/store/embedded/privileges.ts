/** As whom PostgreSQL may run here, and what has to move or change hands for that. */
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
 * Checks that we may use the data, if there are any: root may use everybody's, others their own.
 *
 * @throws when they are somebody else's; the message says what to do.
 */
export async function checkOwner(home: Home): Promise<void> {
  const uid = process.getuid?.();
  const owner = await stat(home.data).catch(() => undefined);
  if (uid === 0 || owner === undefined || owner.uid === uid) return;
  throw new Error(`${home.data} belongs to user ${owner.uid}: run the server as that user, or set TETHER_DATA_DIR`);
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
  if (process.getuid?.() !== 0) return { home, identity: self };
  const owner = await stat(home.data).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    return { home, identity: { kind: 'user', uid: owner.uid, gid: owner.gid } };
  }
  const namespaces = constraints.namespaces ?? (await run({ kind: 'namespace' }, ['true'])).code === 0;
  if (namespaces) return { home, identity: { kind: 'namespace' } };
  const identity = await nobody();
  const moved = (await canEnter(identity, home.root)) ? home : await findRoom(place, identity, constraints);
  const done = moved === home ? await handOver(home, identity) : await moveOut(place, home, moved, identity);
  return done ? { home: moved, identity } : undefined;
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

/** Gives the data, if there are any, to the identity; false when they are in use. */
function handOver(home: Home, { uid, gid }: Identity & { kind: 'user' }): Promise<boolean> {
  const script = 'if [ -e "$1" ]; then chown -R "$2" "$1"; fi';
  return underLockOf(home, ['sh', '-ec', script, 'sh', home.data, `${uid}:${gid}`]);
}

/**
 * Moves the data, if there are any, and gives them to the identity; false when they are in use. The file that says where
 * they went is written when they are there. Data found there without it belong to an earlier life of this path.
 */
function moveOut(place: string, from: Home, to: Home, { uid, gid }: Identity & { kind: 'user' }): Promise<boolean> {
  const script = `
    pointer=$1 root=$2 from=$3 to=$4 owner=$5 now=$6
    if [ -e "$pointer" ]; then exit 0; fi
    if [ -e "$to" ]; then mv "$to" "$to.before-$now"; fi
    if [ -e "$from" ]; then
      rm -rf "$to.partial"
      cp -a "$from" "$to.partial"
      chown -R "$owner" "$to.partial"
      mv "$to.partial" "$to"
    fi
    printf '%s\\n' "$root" > "$pointer.partial"
    mv "$pointer.partial" "$pointer"
    if [ -e "$from" ]; then mv "$from" "$from.moved"; fi`;
  const values = [movedTo(place), to.root, from.data, to.data, `${uid}:${gid}`, String(Date.now())];
  return underLockOf(from, ['sh', '-ec', script, 'sh', ...values]);
}

async function underLockOf(home: Home, command: readonly string[]): Promise<boolean> {
  const { code, output } = await run(self, await underLock(home.lock, command));
  if (code === lockHeld) return false;
  if (code === 0) return true;
  throw new Error(`${home.data} could not be given to the user that PostgreSQL runs as: ${output.trim()}`);
}
