import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, type Verdict } from './step.ts';

/**
 * The contract breaks nobody who speaks the one on the main branch. Compared is the working tree with where it left main;
 * on main itself, with nothing edited, with the commit before. Passes without comparing only where there is nothing to compare with, and says so.
 */
export async function contractBreaksNobody(): Promise<Verdict> {
  const base = await findBase();
  if (!base.found) return { ok: true, output: '', note: `not compared: ${base.why}` };
  if (!(await git('cat-file', '-e', `${base.commit}:proto/tether`)).ok)
    return { ok: true, output: '', note: `not compared: ${base.name} has no contract yet` };
  const old = await mkdtemp(join(tmpdir(), 'tether-breaking-'));
  try {
    const archive = join(old, 'tree.tar');
    const exported = await git('archive', '-o', archive, base.commit, 'proto', 'proto-rules', 'buf.yaml');
    if (!exported.ok) return exported;
    const unpacked = await execute('tar', ['-xf', archive, '-C', old]);
    if (!unpacked.ok) return unpacked;
    const verdict = await execute('buf', ['breaking', '--against', old]);
    return { ...verdict, note: `against ${base.name}` };
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}

type Base =
  | { readonly found: true; readonly commit: string; readonly name: string }
  | { readonly found: false; readonly why: string };

async function findBase(): Promise<Base> {
  const head = await commitOf('HEAD');
  if (head === undefined) return { found: false, why: 'this is no git checkout' };
  const main = (await commitOf('refs/remotes/origin/main')) ?? (await commitOf('refs/heads/main'));
  if (main === undefined) return { found: false, why: 'there is no main branch here' };
  const fork = await git('merge-base', head, main);
  if (!fork.ok) return { found: false, why: 'the history here does not reach back to main' };
  const left = fork.output.trim();
  const edited = !(await git('diff', '--quiet', 'HEAD', '--', 'proto')).ok;
  if (left !== head || edited) return { found: true, commit: left, name: `main (${left.slice(0, 12)})` };
  const before = await commitOf('HEAD^');
  if (before === undefined) return { found: false, why: 'main has no earlier commit here' };
  return { found: true, commit: before, name: `the commit before (${before.slice(0, 12)})` };
}

async function commitOf(ref: string): Promise<string | undefined> {
  const { ok, output } = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  return ok ? output.trim() : undefined;
}

/** A checkout that belongs to another user is read all the same: nothing in it is run. */
function git(...args: string[]): Promise<Verdict> {
  return execute('git', ['-c', 'safe.directory=*', ...args]);
}
