/** Server processes of their own, to be killed, frozen and run side by side. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';

export interface ServerProcess {
  readonly agent: Client<typeof ActionService>;
  readonly approver: Client<typeof ActionService>;
  readonly httpUrl: string;
  /** Host and port of the gRPC door. */
  readonly grpcAddress: string;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGHUP' | 'SIGTERM'): void;
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServerOptions {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly catalog: string;
  readonly keys: { readonly agent: string; readonly approver: string };
  readonly env?: Readonly<Record<string, string>>;
}

const main = join(import.meta.dirname, '../../server/main.ts');

/** Starts `server/main.ts` on free ports; resolves once it is ready, rejects with what it said when it is not. */
export async function startServer({ databaseUrl, dataDir, catalog, keys, env }: ServerOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      TETHER_DATA_DIR: dataDir,
      TETHER_CATALOG: catalog,
      TETHER_HTTP_PORT: '0',
      TETHER_GRPC_PORT: '0',
      TETHER_LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const { httpUrl, grpcAddress } = await ready(child, said);
  const clientOf = (key: string): Client<typeof ActionService> => {
    const authorize: Interceptor = (next) => (request) => {
      request.header.set('authorization', `Bearer ${key}`);
      return next(request);
    };
    const transport = createConnectTransport({ baseUrl: httpUrl, httpVersion: '1.1', interceptors: [authorize] });
    return createClient(ActionService, transport);
  };
  return {
    agent: clientOf(keys.agent),
    approver: clientOf(keys.approver),
    httpUrl,
    grpcAddress,
    signal: (name) => void child.kill(name),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      return child.exitCode;
    },
  };
}

interface Doors {
  readonly httpUrl: string;
  readonly grpcAddress: string;
}

async function ready(child: ChildProcess, said: readonly string[]): Promise<Doors> {
  if (child.stdout === null) throw new Error('the server has no stdout');
  for await (const line of createInterface(child.stdout)) {
    const [, httpUrl, grpcAddress] = /ready: HTTP (\S+), gRPC (\S+)$/.exec(line) ?? [];
    if (httpUrl !== undefined && grpcAddress !== undefined) return { httpUrl, grpcAddress };
  }
  throw new Error(`the server did not start: ${said.join('')}`);
}

/** What a call came to, for whoever made it. */
export type Told<Response> =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'refused'; readonly code: string; readonly effect: number; readonly field: string }
  /** The caller cannot know. */
  | { readonly kind: 'unknown'; readonly status: string };

export async function told<Response>(call: Promise<Response>): Promise<Told<Response>> {
  try {
    return { kind: 'answered', response: await call };
  } catch (error) {
    const reason = ConnectError.from(error);
    const [detail] = reason.findDetails(ActionableErrorSchema);
    if (detail === undefined) return { kind: 'unknown', status: Code[reason.code] };
    return { kind: 'refused', code: detail.code, effect: detail.effect, field: detail.field };
  }
}
