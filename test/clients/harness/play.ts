/**
 * The scripted harness: what a program that drives a model would do, without a model. The same walk in every language, each
 * printing the same transcript. README.md here says how a program plugs in.
 *
 *   expect(await play({ command: 'go', args: ['run', '.'], cwd })).toBe(transcript);
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type ClientPlace, openClientPlace } from './place.ts';
import { decideWhatWaits } from './somebody-else.ts';

/** What every program prints, to the byte. */
export const transcript: string = readFileSync(new URL('./transcript.txt', import.meta.url), 'utf8');

/** A program to run, and what it needs beside the environment that {@link Harness} gives it. */
export interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Beside the test's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Harness {
  readonly place: ClientPlace;
  /** `http://host:port`: Connect, gRPC-Web and plain JSON. */
  readonly httpUrl: string;
  /** `host:port`, without TLS. */
  readonly grpcAddress: string;
  /** The key that proposes. */
  readonly agentKey: string;
  /** Runs a program with `HARNESS_HTTP_URL`, `HARNESS_GRPC_ADDRESS`, `HARNESS_AGENT_KEY`; resolves with what it printed. */
  run(program: Program): Promise<string>;
}

/**
 * A place with everything that the transcript needs, for as long as `use` takes. Rejects too when nobody decides any more. `env` is
 * for the server.
 */
export async function withHarness<T>(
  use: (harness: Harness) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const place = await openClientPlace();
  const over = new AbortController();
  try {
    const server = await place.server(env);
    const { httpUrl, grpcAddress } = server;
    const agentKey = place.keys.agent;
    const told = { HARNESS_HTTP_URL: httpUrl, HARNESS_GRPC_ADDRESS: grpcAddress, HARNESS_AGENT_KEY: agentKey };
    const run = (program: Program) => runToEnd({ ...program, env: { ...program.env, ...told } }, over.signal);
    const deciding = decideWhatWaits(server, over.signal);
    const used = use({ place, httpUrl, grpcAddress, agentKey, run });
    return await Promise.race([used, deciding.then(() => used)]);
  } finally {
    over.abort();
    await place.close();
  }
}

/** Runs one program through the whole transcript; resolves with what it printed. */
export async function play(program: Program): Promise<string> {
  return withHarness(({ run }) => run(program));
}

async function runToEnd({ command, args = [], cwd, env }: Program, signal: AbortSignal): Promise<string> {
  const child = spawn(command, args, {
    ...{ cwd, signal, killSignal: 'SIGKILL' },
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [printed, complained] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (child.exitCode === 0) return printed;
  throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode}: ${complained}\n${printed}`);
}
