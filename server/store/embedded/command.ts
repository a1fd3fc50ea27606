/** Running PostgreSQL's programs as somebody whom PostgreSQL accepts. */
import { type ChildProcess, spawn } from 'node:child_process';

/** As whom PostgreSQL's programs run; it refuses to run as root. */
export type Identity =
  /** As ourselves. */
  | { readonly kind: 'self' }
  /** In a user namespace: PostgreSQL sees itself as `nobody`, while access to files stays root's. */
  | { readonly kind: 'namespace' }
  /** As another user, who must be able to reach the binaries and own the data. */
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number };

export const self: Identity = { kind: 'self' };

/** Puts what an identity needs before the command. */
function asIdentity(identity: Identity, command: readonly string[]): readonly string[] {
  if (identity.kind !== 'namespace') return command;
  return ['unshare', '--user', '--map-user=65534', '--map-group=65534', ...command];
}

/**
 * Spawns a command in a session of its own, so that neither a Ctrl-C for us nor our death reaches it. Its working
 * directory is `/`, since ours may be closed to it; its environment holds none of our PG* variables.
 *
 * @param output a file descriptor for what it prints, or `pipe`.
 */
export function spawnAs(identity: Identity, command: readonly string[], output: number | 'pipe'): ChildProcess {
  const [file = '', ...args] = asIdentity(identity, command);
  return spawn(file, args, {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['ignore', output, output],
    ...(identity.kind === 'user' ? { uid: identity.uid, gid: identity.gid } : {}),
  });
}

/** Runs a command to its end: its exit code (null when a signal or a missing program ended it) and what it printed. */
export function run(identity: Identity, command: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawnAs(identity, command, 'pipe');
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
