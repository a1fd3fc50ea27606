import { setTimeout as delay } from 'node:timers/promises';
import { type App, type Ready, startApp } from './app.ts';
import { readConfig } from './config.ts';
import { watchTerminal } from './terminal.ts';

/**
 * Runs a server until SIGTERM or SIGINT (a second one skips the wait for load balancers); resolves with the exit code: 0 after an
 * orderly end, 1 with a reason on stderr when it cannot start. While its database is away it stays up, live and not ready. SIGHUP
 * reads the catalog and the certificates again, and stops a server whose terminal was closed. `onReady` says what the caller wants
 * said once calls are answered. Logs go to stderr as JSON lines.
 */
export async function serve(env: NodeJS.ProcessEnv, onReady: (app: App, ready: Ready) => void): Promise<number> {
  const { first: stop, second: hurry } = signals();
  // Lines that cannot be written (a full disk, a terminal that is closed) are no reason to let go of what is under way.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    const config = readConfig(env);
    const started = new AbortController();
    void endIfStuck(stop, AbortSignal.any([hurry, started.signal]), started.signal, config.drainMs);
    const starting = startApp(config, env).finally(() => started.abort());
    const isTerminalGone = watchTerminal();
    // Heard from the beginning: unheard it would end the process.
    process.on('SIGHUP', () => {
      if (isTerminalGone()) process.emit('SIGTERM', 'SIGTERM');
      else void starting.then((app) => app.reload()).catch(() => undefined);
    });
    const app = await starting;
    try {
      await Promise.race([stop, app.ready.then((ready) => onReady(app, ready)).then(() => stop)]);
    } finally {
      await app.close(hurry);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`tether cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/**
 * A start that hangs (a file system that does not answer) can be stopped by nothing that waits for it: it ends by the signal itself
 * when the time is over that a drain would have, or at once at the second signal. What it had begun the next start takes up.
 */
async function endIfStuck(
  stop: Promise<NodeJS.Signals>,
  waitUntil: AbortSignal,
  started: AbortSignal,
  drainMs: number,
): Promise<void> {
  const signal = await stop;
  await delay(drainMs, undefined, { signal: waitUntil }).catch(() => undefined);
  if (started.aborted) return;
  process.stderr.write(`tether was still starting, and ends by ${signal}\n`);
  // Not by an exit, which waits for the calls of the system that hang.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The line a person and a script wait for. */
export function readyLine(app: App): string {
  return `tether is ready: HTTP ${app.httpUrl}, gRPC ${app.grpcAddress}`;
}

/** What the first start made, told this once; empty on every other. */
export function firstKeysText({ firstKeys }: Ready): string {
  if (firstKeys === null) return '';
  const { file, keys } = firstKeys;
  const rows = Object.entries(keys).map(([name, value]) => `  ${name.padEnd(8)} ${value}`);
  return [`made the first tenant; its keys are shown this once and kept in ${file}:`, ...rows, ''].join('\n');
}

function signals(): { readonly first: Promise<NodeJS.Signals>; readonly second: AbortSignal } {
  const second = new AbortController();
  const { promise: first, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let count = 0;
  const heard = (signal: NodeJS.Signals) => {
    count += 1;
    if (count === 1) resolve(signal);
    else second.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, heard);
  return { first, second: second.signal };
}
