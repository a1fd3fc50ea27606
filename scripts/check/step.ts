import { spawn } from 'node:child_process';

/** What a step came to. `output` is for whoever has to mend it; `note` is a remark on a step that passed. */
export interface Verdict {
  readonly ok: boolean;
  readonly output: string;
  readonly note?: string;
}

/** One thing that must hold before a change goes in. */
export interface Step {
  readonly name: string;
  /** What holds when it passes, in a few words. */
  readonly promise: string;
  readonly run: () => Promise<Verdict>;
}

/** Runs a program to its end, its two outputs together, in the order in which they came. Rejects when it cannot start. */
export function execute(program: string, args: readonly string[]): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const ending = code === null ? `\n${program} was ended by ${signal}\n` : '';
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') + ending });
    });
  });
}

/** A step that is one program: it passes when the program exits with 0. */
export function program(name: string, promise: string, command: string, ...args: readonly string[]): Step {
  return { name, promise, run: () => execute(command, args) };
}
