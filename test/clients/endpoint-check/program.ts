import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Starts a vendor's program, gone with the test; resolves with what its ready line says it listens on. */
export async function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) throw new Error('the program has no output');
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const found = ready.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    void exited.then(() => reject(new Error(`${command} ended:\n${said.join('\n')}`)));
  });
}
