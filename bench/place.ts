/** Everything a run stands on: PostgreSQL, the vendor's endpoint, a server; started in order, taken back in reverse. */
import { join } from 'node:path';
import { type Child, startChild } from './children.ts';
import type { Surroundings } from './contender.ts';
import { type DatabaseServer, startDatabaseServer } from './database.ts';
import { parentOf } from './process-facts.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

export interface Place {
  readonly database: DatabaseServer;
  readonly endpoint: Child<never, never>;
  /** The process that all of PostgreSQL's processes are children of; undefined where that cannot be known. */
  readonly postmasterPid: number | undefined;
  /** Starts one more server on a database of that name, and says what a contender needs to call it. */
  serve(name: string, options?: ServeOptions): Promise<{ server: Server; surroundings: Surroundings }>;
  /** Has it stopped, in reverse, when the run ends. */
  own<T extends { stop(): Promise<void> }>(part: T): T;
}

export interface ServeOptions extends Pick<ServerOptions, 'heap' | 'profileInto'> {
  readonly trackStatements?: boolean;
}

/** Runs `work` in a place of its own, and leaves nothing behind, not even when it is interrupted. */
export async function inPlace<T>(
  settings: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const parts: { stop(): Promise<void> }[] = [];
  const own = <P extends { stop(): Promise<void> }>(part: P): P => {
    parts.push(part);
    return part;
  };
  try {
    const database = own(await startDatabaseServer(settings));
    const endpoint = own(await startChild<never, never>(import.meta.resolve('./endpoint.ts')));
    const [backend] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    const serve = async (name: string, { trackStatements = false, ...options }: ServeOptions = {}) => {
      const databaseUrl = await database.create(name, { trackStatements });
      const directory = join(database.directory, `server-${name}`);
      const server = own(await startServer({ databaseUrl, endpointUrl: endpoint.ready, directory, ...options }));
      return { server, surroundings: surroundingsOf(databaseUrl, endpoint.ready, server) };
    };
    const postmasterPid = backend && parentOf(backend.pid);
    return await Promise.race([work({ database, endpoint, postmasterPid, serve, own }), interrupted()]);
  } finally {
    await stopAll(parts.reverse());
  }
}

/** Stops each, whatever becomes of the others; then rejects with what the first failure was. */
async function stopAll(parts: readonly { stop(): Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** PostgreSQL outlives its parent, so an interrupted run has to stop it like any other. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`stopped by ${signal}`)));
  });
}

function surroundingsOf(databaseUrl: string, endpointUrl: string, server: Server): Surroundings {
  return {
    BENCH_DATABASE_URL: databaseUrl,
    BENCH_ENDPOINT_URL: endpointUrl,
    BENCH_GRPC_ADDRESS: server.grpcAddress,
    BENCH_HTTP_URL: server.httpUrl,
    BENCH_AGENT_KEY: server.agentKey,
    BENCH_APPROVER_KEY: server.approverKey,
  };
}
