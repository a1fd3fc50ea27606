/** What server processes share: a database with a tenant, a catalog file, a vendor's endpoint. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Endpoint, startEndpoint } from '../support/endpoint.ts';
import { type ServerOptions, type ServerProcess, startServer } from './server-process.ts';

export interface Place {
  readonly database: TestDatabase;
  readonly endpoint: Endpoint;
  /** For files; removed at the end. */
  readonly directory: string;
  /** Another process on the same database. */
  server(options?: Partial<Pick<ServerOptions, 'env' | 'databaseUrl'>>): Promise<ServerProcess>;
  /** Sweeps that are due soon are due now. */
  hurrySweeps(): Promise<void>;
  close(): Promise<void>;
}

/** `endpointUrl` stands in the catalog instead of the endpoint's own; `database` must have the schema. */
export async function openPlace(
  options: { readonly endpointUrl?: string; readonly database?: TestDatabase } = {},
): Promise<Place> {
  const database = options.database ?? (await createDatabase());
  const endpoint = await startEndpoint();
  const directory = await mkdtemp(join(tmpdir(), 'tether-faults-'));
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, catalogText(options.endpointUrl ?? endpoint.url));
  const store = await openStore({ url: database.appUrl, poolSize: 1 });
  const keys = await store.credentials.createTenant('acme');
  await store.close();
  const servers: ServerProcess[] = [];
  return {
    database,
    endpoint,
    directory,
    async server({ env, databaseUrl = database.appUrl } = {}) {
      const dataDir = join(directory, randomUUID());
      const server = await startServer({ databaseUrl, dataDir, catalog, keys, env });
      servers.push(server);
      return server;
    },
    async hurrySweeps() {
      await database.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      await endpoint.close();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function catalogText(url: string): string {
  return `
version: 1
endpoints:
  pos: { transport: json, url: "${url}", timeout_seconds: 60, max_concurrent: 200 }
tools:
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string }, note: { type: string }, amount: { type: number } } }
`;
}

/** A proposal about a ticket of its own. */
export function proposal(ticket: string = randomUUID()) {
  return { tool: 'void_ticket', argumentsJson: JSON.stringify({ ticket_id: ticket }), userId: 'u1' };
}

/** Asks again until the answer fits; the test's own timeout ends it. */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    await setImmediate();
  }
}
