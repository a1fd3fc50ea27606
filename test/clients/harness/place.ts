/**
 * What a client in any language is tested against: a real server process on a database of its own, and a point of sale as its
 * vendor. Scripts of a test's own go before the usual answers: `place.endpoint.answerNext(answers.reset())`.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../server/store/open.ts';
import { type ServerProcess, startServer } from '../../faults/server-process.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoint.ts';
import { pointOfSale } from './point-of-sale.ts';

export interface ClientPlace {
  readonly database: TestDatabase;
  readonly endpoint: Endpoint;
  /** A key per role, all of one tenant. */
  readonly keys: { readonly agent: string; readonly approver: string; readonly operator: string };
  /** Starts a server process, another one each time; on free ports unless `env` names them. */
  server(env?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  close(): Promise<void>;
}

export interface ClientPlaceOptions {
  /** Tools beside the two of the transcript, as YAML below `tools:`; their endpoint is `pos`. */
  readonly tools?: string;
  /** True for an endpoint that can be asked what became of a write. */
  readonly probe?: boolean;
}

export async function openClientPlace({ tools = '', probe = false }: ClientPlaceOptions = {}): Promise<ClientPlace> {
  const database = await createDatabase();
  const endpoint = await startEndpoint();
  endpoint.answer(pointOfSale());
  const directory = await mkdtemp(join(tmpdir(), 'tether-clients-'));
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, catalogText(endpoint.url, probe) + tools);
  const store = await openStore({ url: database.appUrl, poolSize: 1 });
  const keys = await store.credentials.createTenant('acme');
  await store.close();
  const servers: ServerProcess[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()));
    await endpoint.close();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    ...{ database, endpoint, keys, close },
    async server(env) {
      const dataDir = join(directory, randomUUID());
      const server = await startServer({ databaseUrl: database.appUrl, dataDir, catalog, keys, env });
      servers.push(server);
      return server;
    },
  };
}

function catalogText(url: string, probe: boolean): string {
  const input =
    '{ type: object, required: [ticket_id], properties: { ticket_id: { type: string } }, additionalProperties: false }';
  return `
version: 1
endpoints:
  pos: { transport: json, url: "${url}", probe: ${probe} }
tools:
  get_ticket:
    endpoint: pos
    description: One ticket by its id.
    input: ${input}
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input: ${input}
    summary: "Void ticket {ticket_id}"
`;
}
