/** A business that uses Tether: server processes on one database, a vendor's process, and a client for each role. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Action } from '@tether/proto/tether/v1/action_pb.ts';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { type ActionId, parseActionId } from '../../server/domain/action.ts';
import { openStore } from '../../server/store/open.ts';
import { type ServerProcess, startServer } from '../faults/server-process.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startVendor, type VendorProcess } from '../support/vendor-process.ts';
import { catalogText } from './catalog.ts';

/** One replica, and who talks to it. */
export interface Replica {
  readonly process: ServerProcess;
  readonly tools: Client<typeof ToolService>;
  readonly agent: Client<typeof ActionService>;
  readonly approver: Client<typeof ActionService>;
  readonly operator: Client<typeof ActionService>;
}

export interface Business {
  readonly database: TestDatabase;
  readonly vendor: VendorProcess;
  /** Another server process. */
  replica(): Promise<Replica>;
  /** A ticket on the vendor's books, open, with an id of its own. */
  ticket(): Promise<string>;
  close(): Promise<void>;
}

export async function openBusiness(): Promise<Business> {
  const database = await createDatabase();
  const vendor = await startVendor();
  const directory = await mkdtemp(join(tmpdir(), 'tether-e2e-'));
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, catalogText(vendor.url));
  const store = await openStore({ url: database.appUrl, poolSize: 1 });
  const keys = await store.credentials.createTenant('acme');
  await store.close();
  const servers: ServerProcess[] = [];
  return {
    database,
    vendor,
    async replica() {
      const dataDir = join(directory, randomUUID());
      const process = await startServer({ databaseUrl: database.appUrl, dataDir, catalog, keys });
      servers.push(process);
      const { agent, approver, httpUrl } = process;
      const tools = createClient(ToolService, transportFor(httpUrl, keys.agent));
      const operator = createClient(ActionService, transportFor(httpUrl, keys.operator));
      return { process, tools, agent, approver, operator };
    },
    async ticket() {
      const id = `T-${randomUUID()}`;
      await vendor.put(id, { status: 'open', total_usd: 12.5 });
      return id;
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      await vendor.close();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function transportFor(baseUrl: string, key: string) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${key}`);
    return next(request);
  };
  return createConnectTransport({ baseUrl, httpVersion: '1.1', interceptors: [authorize] });
}

/** How long is waited for what other processes do by themselves: much longer than it takes, since machines can be busy. */
export const patience = { timeout: 60_000 } as const;

/** What a model proposes about a ticket. */
export function proposal(tool: string, ticket: string, more: Readonly<Record<string, unknown>> = {}) {
  return { tool, argumentsJson: JSON.stringify({ ticket_id: ticket, ...more }), userId: 'u-7' };
}

/** The id of an action that must be there. */
export function idOf(action: Action | undefined): ActionId {
  const id = parseActionId(action?.id ?? '');
  if (id === undefined) throw new Error('no action');
  return id;
}

/** The key that the vendor sees. */
export function keyOf(id: ActionId): string {
  return id.replaceAll('-', '');
}

export async function read({ approver }: Replica, id: ActionId): Promise<Action> {
  const { action } = await approver.get({ key: { case: 'actionId', value: id } });
  if (action === undefined) throw new Error(`no action ${id}`);
  return action;
}
