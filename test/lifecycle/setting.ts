/** What replicas share in these tests: a database, a vendor's endpoint, a catalog, an agent and an approver. */
import { randomUUID } from 'node:crypto';
import type { Action, ActionId, Observed } from '../../server/domain/action.ts';
import type { Principal } from '../../server/domain/principal.ts';
import type { StageInput } from '../../server/lifecycle/lifecycle.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { openStore } from '../../server/store/open.ts';
import { catalogOf, toolsOf } from '../support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Endpoint, startEndpoint } from '../support/endpoint.ts';
import { stageInput as inputOf, neverAborted } from '../support/inputs.ts';
import { createReplica, type Replica } from './replica.ts';

export { confirmInput, neverAborted } from '../support/inputs.ts';

export interface Setting {
  readonly database: TestDatabase;
  readonly store: ActionStore;
  readonly endpoint: Endpoint;
  /** A fresh process. */
  replica(): Replica;
  /** Stages a void of a ticket that nobody has used yet, or of this one. */
  stage(replica: Replica, ticket?: string, input?: Partial<StageInput>): Promise<Action>;
  /** The action as it stands. */
  read(id: ActionId): Promise<Observed>;
  close(): Promise<void>;
}

/** The impatient endpoint is the same server, given up after 0.3 s; the probed one too, waited for longer and asked about doubts. */
function catalogText(url: string): string {
  return `
version: 1
endpoints:
  pos: { transport: json, url: "${url}", timeout_seconds: 20 }
  impatient: { transport: json, url: "${url}", timeout_seconds: 0.3 }
  probed: { transport: json, url: "${url}", timeout_seconds: 60, probe: true }
tools:
  get_ticket:
    endpoint: probed
    description: One ticket.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } } }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } } }
  void_ticket_quickly:
    endpoint: impatient
    is_write: true
    description: Void an open ticket, and do not wait long for it.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } } }
  void_ticket_probed:
    endpoint: probed
    is_write: true
    description: Void an open ticket, and ask what became of it.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string }, reason: { type: string } } }
    intent: { fields: [/ticket_id] }
  void_ticket_checked:
    endpoint: probed
    is_write: true
    description: Void a ticket as long as it is as it was.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string }, reason: { type: string } } }
    intent: { fields: [/ticket_id] }
    precondition: { read: get_ticket, arguments: { ticket_id: /ticket_id }, fields: [/voids, /others] }
`;
}

const tenantId = 'acme';
export const agent: Principal = { tenantId, credentialId: 'c-agent', userId: 'bot', role: 'agent', scopes: null };
export const approver: Principal = { tenantId, credentialId: 'c-ann', userId: 'ann', role: 'approver', scopes: null };

/** `wrap` may stand between the replicas and the store, to break it. */
export async function openSetting(wrap: (store: ActionStore) => ActionStore = (store) => store): Promise<Setting> {
  const database = await createDatabase();
  const { actions, events, close } = await openStore({ url: database.url, poolSize: 8 });
  const endpoint = await startEndpoint();
  const catalog = catalogOf(catalogText(endpoint.url));
  const tools = toolsOf(catalog);
  const replicas: Replica[] = [];
  return {
    database,
    store: actions,
    endpoint,
    replica() {
      const endpoints = (name: string) => catalog.endpoints.get(name);
      const replica = createReplica({ store: wrap(actions), events, catalog: tools, endpoints });
      replicas.push(replica);
      return replica;
    },
    async stage(replica, ticket = randomUUID(), input = {}) {
      const { action } = await replica.lifecycle.stage(agent, stageInput(ticket, input), neverAborted);
      return action;
    },
    async read(id) {
      const found = await actions.find(tenantId, id);
      if (found === undefined) throw new Error(`there is no action ${id}`);
      return found;
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.die()));
      await endpoint.close();
      await close();
      await database.drop();
    },
  };
}

/** Proposes that ticket on behalf of `u1`. */
export function stageInput(ticket: string, input: Partial<StageInput> = {}): StageInput {
  return inputOf({ ticket_id: ticket }, { userId: 'u1', ...input });
}
