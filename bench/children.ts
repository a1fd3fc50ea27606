/** Processes of the benchmark: each tells its parent when it is ready, answers one question at a time, and ends with it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A program that is ready. */
export interface Child<Question, Answer> {
  readonly pid: number;
  /** What it announced. */
  readonly ready: string;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

type Message<Answer> =
  | { readonly kind: 'ready'; readonly with: string }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly reason: string };

/** Starts a program, given as a file URL, and waits until it is ready. Its stderr is ours. */
export async function startChild<Question extends object, Answer>(
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<Question, Answer>> {
  const child = fork(new URL(program), { env: { ...process.env, ...env } });
  const ready = await next<Answer>(child, program);
  if (ready.kind !== 'ready' || child.pid === undefined) throw new Error(`${program} did not start as expected`);
  return {
    pid: child.pid,
    ready: ready.with,
    async ask(question) {
      child.send(question);
      const message = await next<Answer>(child, program);
      if (message.kind === 'answer') return message.answer;
      throw new Error(`${program}: ${message.kind === 'failed' ? message.reason : 'is ready twice'}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function next<Answer>(child: ChildProcess, program: string): Promise<Message<Answer>> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${program} ended with code ${code}`));
    child.once('exit', ended);
    // Both ends of this channel are this folder's: the shape is ours.
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Message<Answer>);
    });
  });
}

/** In a child: says that it is ready. When the parent is gone, so is the child. */
export function announceReady(ready: string): void {
  process.once('disconnect', () => process.exit(0));
  process.send?.({ kind: 'ready', with: ready });
}

/** In a child: answers what the parent asks, one after the other. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on('message', (question) => {
    answer(question as Question).then(
      (found) => process.send?.({ kind: 'answer', answer: found }),
      (error: unknown) =>
        process.send?.({ kind: 'failed', reason: error instanceof Error ? error.stack : String(error) }),
    );
  });
}

/** A setting that the parent gives its child. */
export function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; this program is started by bench/main.ts`);
  return value;
}
