import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Where the Go module lies. */
export const module: string = join(import.meta.dirname, '../../../clients/go');

/** A fresh machine fetches and compiles the libraries first. */
export const goRuns = { timeout: 600_000 } as const;

/** Runs a go command in the module; resolves with what it printed, rejects with that and what it complained of. */
export async function go(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn('go', args, {
    cwd: module,
    // What a binary knows of the checkout is nobody's business here, and asking fails where another user owns it.
    env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ''} -buildvcs=false`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [printed, complained] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (child.exitCode === 0) return printed;
  throw new Error(`go ${args.join(' ')} ended with ${child.exitCode ?? child.signalCode}: ${complained}\n${printed}`);
}

/**
 * Runs the Go tests of a package with all that they need. Rejects when one fails, and when one was skipped: alone they skip what
 * needs a server, here nothing may be.
 */
export async function goTest(
  packages: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly passed: number }> {
  const printed = await go(['test', '-count=1', '-timeout=5m', '-v', packages], env);
  const lines = printed.split('\n');
  const skipped = lines.filter((line) => /^\s*--- SKIP/.test(line));
  if (skipped.length > 0) throw new Error(`go test skipped:\n${skipped.join('\n')}\n${printed}`);
  return { passed: lines.filter((line) => line.startsWith('--- PASS')).length };
}
