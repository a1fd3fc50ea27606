/** A vendor's program, behind a relay whose port stays while the program is killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface VendorProgram {
  /** Where a catalog finds it, in all of its lives. */
  readonly port: number;
  /** At the first byte of its next answer it is killed with kill -9, and the caller hears nothing. */
  killAtNextAnswer(): void;
  /** kill -9, now. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when it is ready. */
export async function startVendorProgram(
  binary: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<VendorProgram> {
  let child: ChildProcess | undefined;
  let inner = 0;
  let doomed = false;
  const sockets = new Set<Socket>();

  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const start = async (): Promise<void> => {
    const started = spawn(binary, args, {
      env: { ...process.env, PORT: String(await freePort()), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    inner = await readyPort(started);
  };
  const relay = createServer((caller) => {
    const vendor = connect(inner, '127.0.0.1');
    for (const socket of [caller, vendor]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    caller.pipe(vendor);
    caller.on('close', () => vendor.destroy());
    vendor.on('close', () => caller.destroy());
    vendor.on('data', (bytes) => {
      if (!doomed) return void caller.write(bytes);
      doomed = false;
      void kill().then(() => caller.destroy());
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  await start();
  return {
    port: (relay.address() as AddressInfo).port,
    killAtNextAnswer() {
      doomed = true;
    },
    kill,
    start,
    async close() {
      await kill();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** Not every program says which port it got when it was free to choose. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function readyPort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the vendor has no output');
  for await (const line of createInterface(child.stdout)) {
    const port = /^ready on port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('the vendor ended before it was ready; its reason stands above');
}
