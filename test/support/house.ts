/**
 * A lifecycle over real parts, for tests: a PostgreSQL database of its own, a catalog from YAML, the dispatcher and a vendor's
 * endpoint that does what the test says. Each port can be wrapped, to hold a step at a gate.
 *
 *   await using house = await openHouse();
 *   const { action } = await house.stage({ ticket_id: 'T-1' });
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import type { ActionId } from '../../server/domain/action.ts';
import type { Principal, Role } from '../../server/domain/principal.ts';
import { createIds } from '../../server/ids.ts';
import { createLifecycle, type RunningLifecycle } from '../../server/lifecycle/create-lifecycle.ts';
import type { Confirmed, ConfirmInput, Staged, StageInput } from '../../server/lifecycle/lifecycle.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import type { Authorizer } from '../../server/lifecycle/ports/authorizer.ts';
import type { ToolCatalog } from '../../server/lifecycle/ports/catalog.ts';
import type { Dispatcher } from '../../server/lifecycle/ports/dispatcher.ts';
import type { EventLog } from '../../server/lifecycle/ports/events.ts';
import type { Clock, Ids, Log } from '../../server/lifecycle/ports/process.ts';
import type { Stops } from '../../server/lifecycle/ports/stops.ts';
import type { Retention } from '../../server/lifecycle/sweep.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { catalogOf, toolsOf } from './catalog.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';
import { confirmInput, neverAborted, stageInput } from './inputs.ts';

export { confirmInput, neverAborted } from './inputs.ts';

const tools = `
tools:
  get_ticket:
    endpoint: endpoint
    description: One ticket by its id.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } }, additionalProperties: false }
  void_ticket:
    endpoint: endpoint
    is_write: true
    description: Void an open ticket.
    input:
      type: object
      required: [ticket_id]
      properties: { ticket_id: { type: string, minLength: 3 }, reason: { type: string }, amount_usd: { type: number }, note: {} }
      additionalProperties: false
  wipe_store:
    endpoint: endpoint
    is_write: true
    description: Remove everything.
    risk: high
    reversible: no
    summary: "Wipe {store}"
    ttl: 90s
    input: { type: object, required: [store], properties: { store: { type: string } }, additionalProperties: false }
`;

/** What a test may put in the way of the real parts. */
export interface Wrappers {
  readonly store?: (store: ActionStore) => ActionStore;
  readonly dispatcher?: (dispatcher: Dispatcher) => Dispatcher;
  readonly catalog?: (catalog: ToolCatalog) => ToolCatalog;
  readonly clock?: Partial<Clock>;
  readonly ids?: Partial<Ids>;
  readonly events?: (events: EventLog) => EventLog;
  readonly authorizer?: Authorizer;
  readonly stops?: (stops: Stops) => Stops;
  readonly retention?: Partial<Retention>;
  readonly log?: Log;
}

export interface House extends AsyncDisposable {
  readonly db: TestDatabase;
  readonly store: Store;
  readonly endpoint: Endpoint;
  readonly catalog: ToolCatalog;
  readonly lifecycle: RunningLifecycle;
  /** Another process's lifecycle on the same database and endpoint, wrapped otherwise. */
  another(wrappers?: Wrappers): RunningLifecycle;
  /** A credential of a role; tenant `acme` unless said otherwise. */
  principal(role: Role, over?: Partial<Principal>): Principal;
  /** Stages `void_ticket` as the agent, unless the input says otherwise. */
  stage(args: unknown, over?: Partial<StageInput>, by?: Principal): Promise<Staged>;
  /** Confirms as the approver. */
  confirm(actionId: ActionId, over?: Partial<ConfirmInput>, by?: Principal): Promise<Confirmed>;
  /** The action's row. */
  row(id: ActionId): Promise<Record<string, unknown>>;
  /** The types of the action's events, oldest first. */
  events(id: ActionId): Promise<string[]>;
}

export async function openHouse(wrappers: Wrappers = {}, catalogText: string = tools): Promise<House> {
  const db = await createDatabase();
  const store = await openStore({ url: db.appUrl, poolSize: 20 });
  const endpoint = await startEndpoint({ settings: { timeoutMs: 5_000 } });
  const dispatcher = createDispatcher({ endpoints: (name) => (name === 'endpoint' ? endpoint.settings : undefined) });
  const declared = catalogOf(
    `version: 1\nendpoints: { endpoint: { transport: json, url: "${endpoint.url}", probe: true } }\n${catalogText}`,
  );
  const catalog = toolsOf(declared);
  const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

  const another = (over: Wrappers = {}) =>
    createLifecycle({
      store: over.store?.(store.actions) ?? store.actions,
      dispatcher: over.dispatcher?.(dispatcher) ?? dispatcher,
      catalog: over.catalog?.(catalog) ?? catalog,
      clock: { monotonic: () => performance.now(), wall: () => Date.now(), delay: pause, ...over.clock },
      authorizer: over.authorizer ?? { authorize: async () => ({ kind: 'allowed' }) },
      events: over.events?.(store.events) ?? store.events,
      stops: over.stops?.(store.stops) ?? store.stops,
      retention: { actionsMs: 30 * 86_400_000, eventsMs: 365 * 86_400_000, ...over.retention },
      ids: { ...createIds(Date.now), ...over.ids },
      log: over.log ?? silent,
    });
  const lifecycle = another(wrappers);
  const principal = (role: Role, over: Partial<Principal> = {}): Principal => ({
    ...{ tenantId: 'acme', credentialId: `key-${role}`, userId: `user-${role}`, role, scopes: null },
    ...over,
  });

  return {
    db,
    store,
    endpoint,
    catalog,
    lifecycle,
    another,
    principal,
    stage: (args, over, by = principal('agent')) => lifecycle.stage(by, stageInput(args, over), neverAborted),
    confirm: (id, over, by = principal('approver')) => lifecycle.confirm(by, confirmInput(id, over), neverAborted),
    async row(id) {
      const [row] = await db.query('select * from action where id = $1', [id]);
      if (row === undefined) throw new Error(`no row of action ${id}`);
      return row;
    },
    async events(id) {
      const rows = await db.query<{ type: string }>('select type from event where action_id = $1 order by version', [
        id,
      ]);
      return rows.map(({ type }) => type);
    },
    async [Symbol.asyncDispose]() {
      await lifecycle.drain(0);
      await endpoint.close();
      await dispatcher.close();
      await store.close();
      await db.drop();
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
