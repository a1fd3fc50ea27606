import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tool } from './wish.ts';

/** A real server process: `server/main.ts`, on a database of its own. */
export interface Server {
  readonly pid: number;
  readonly grpcAddress: string;
  readonly httpUrl: string;
  readonly agentKey: string;
  readonly approverKey: string;
  /** Path of the catalog that it serves. */
  readonly catalog: string;
  /** Live heap after a full collection, bytes; only of one that was started with `heap`. */
  heapUsed(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly databaseUrl: string;
  readonly endpointUrl: string;
  /** A folder of its own; made when missing. */
  readonly directory: string;
  /** Whether it will be asked for its heap; such a server has a collector that can be called. */
  readonly heap?: boolean;
  /** Where to leave a CPU profile when it stops. */
  readonly profileInto?: string;
}

/** Collects and tells its heap when it is asked; it runs in the server's process, and keeps nothing alive there. */
const heapProbe = `data:text/javascript,${encodeURIComponent(`
  process.on('message', () => { globalThis.gc(); globalThis.gc(); process.send(process.memoryUsage().heapUsed); });
  process.channel?.unref();`)}`;

/** Starts a server and waits for its line; its log (warnings and worse) goes to our stderr. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { databaseUrl, endpointUrl, directory, heap, profileInto } = options;
  await mkdir(directory, { recursive: true });
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, catalogText(endpointUrl));
  const main = join(import.meta.dirname, '../server/main.ts');
  const nodeOptions = [
    ...(heap ? ['--expose-gc', '--import', heapProbe] : []),
    ...(profileInto === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileInto]),
  ];
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      TETHER_DATA_DIR: directory,
      TETHER_CATALOG: catalog,
      TETHER_HTTP_PORT: '0',
      TETHER_GRPC_PORT: '0',
      TETHER_LOG_LEVEL: 'warn',
      // On, and never reached: one credential makes all the calls.
      TETHER_RATE_LIMIT: '1000000',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [httpUrl, grpcAddress] = await readyLine(child);
  const keys = JSON.parse(await readFile(join(directory, 'keys.json'), 'utf8'));
  return {
    pid: child.pid ?? 0,
    grpcAddress,
    httpUrl,
    agentKey: keys.agent,
    approverKey: keys.approver,
    catalog,
    async heapUsed() {
      child.send('collect');
      const [bytes] = await once(child, 'message');
      return Number(bytes);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`the server ended with code ${code}`);
    },
  };
}

async function readyLine(child: ChildProcess): Promise<[httpUrl: string, grpcAddress: string]> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, http, grpc] = /HTTP (\S+), gRPC (\S+)/.exec(line) ?? [];
    if (http !== undefined && grpc !== undefined) {
      child.stdout.resume();
      return [http, grpc];
    }
  }
  throw new Error('the server ended before it was ready; its reason stands above');
}

function catalogText(endpointUrl: string): string {
  return `version: 1
endpoints:
  pos:
    transport: json
    url: ${endpointUrl}/tools
tools:
  ${tool}:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    summary: "Void ticket {ticket_id}"
    reversible: no
    input:
      type: object
      required: [ticket_id, reason]
      additionalProperties: false
      properties:
        ticket_id: { type: string }
        reason: { type: string, minLength: 3 }
        amount_usd: { type: number }
`;
}
