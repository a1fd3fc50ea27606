import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The example's process. */
export interface Vendor {
  /** Where it answers. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a vendor's program and waits for the line that says where it answers; its lines are passed on. It has a process
 * group of its own, so that Ctrl-C ends the server first, and a channel to us, so that it ends when we are killed.
 */
export async function startVendor(file: string, env: NodeJS.ProcessEnv): Promise<Vendor> {
  const child = fork(file, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  if (child.stdout === null) throw new Error('the example has no output');
  const lines = createInterface({ input: child.stdout });
  const url = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      process.stdout.write(`point-of-sale: ${line}\n`);
      const found = /https?:\/\/\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
    void ended.then(([code]) =>
      reject(new Error(`the example ended with code ${code} before it was ready; its reason stands above`)),
    );
  });
  return {
    url: await url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
