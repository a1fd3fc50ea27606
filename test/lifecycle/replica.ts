/**
 * One server process, as far as the lifecycle goes: the real lifecycle over the real store and a dispatcher of its own, with
 * clocks that the test moves, points at which it can be stopped, and a sudden death.
 */
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import type { ActionId } from '../../server/domain/action.ts';
import type { EndpointSettings } from '../../server/domain/endpoint.ts';
import { createIds } from '../../server/ids.ts';
import { createLifecycle, type RunningLifecycle } from '../../server/lifecycle/create-lifecycle.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import type { ToolCatalog } from '../../server/lifecycle/ports/catalog.ts';
import type { Dispatcher } from '../../server/lifecycle/ports/dispatcher.ts';
import type { EventLog } from '../../server/lifecycle/ports/events.ts';
import type { Clock } from '../../server/lifecycle/ports/process.ts';
import { noStops } from '../support/no-stops.ts';
import { createGates, type Gate } from './gates.ts';

export type Point =
  /** The confirm has read the action. */
  | 'after find'
  /** A precondition is about to be read. */
  | 'before read'
  /** What the read answered is in hand. */
  | 'after read'
  /** The claim is committed, and its reply is on its way. */
  | 'after claim'
  /** The dispatcher is about to connect. */
  | 'before write'
  /** The answer is in hand, and about to be recorded. */
  | 'before apply'
  /** The record is committed, and its acknowledgement is on its way. */
  | 'after apply'
  /** Before a settlement is tried again. */
  | 'delay';

export interface Replica {
  readonly lifecycle: RunningLifecycle;
  hold(point: Point): Gate;
  /** Lets time pass by its clocks, which otherwise stand still; by default both. */
  freeze(ms: number, clocks?: readonly ('monotonic' | 'wall')[]): void;
  /** No connection to any endpoint from now on. */
  unplug(): void;
  /** Settles only this action from now on when it sweeps. */
  sweepOnly(action: ActionId): void;
  /** kill -9: nothing that it was doing goes on, its connections drop. */
  die(): Promise<void>;
}

export interface ReplicaOptions {
  readonly store: ActionStore;
  readonly events: EventLog;
  readonly catalog: ToolCatalog;
  readonly endpoints: (name: string) => EndpointSettings | undefined;
}

/** Port 1 answers nobody: the connection is refused. */
const nowhere = 'http://127.0.0.1:1/';

export function createReplica({ store, events, catalog, endpoints }: ReplicaOptions): Replica {
  const gates = createGates<Point>();
  const now = { monotonic: 0, wall: Date.now() };
  let dead = false;
  let unplugged = false;
  let swept: ActionId | undefined;

  /** What a dead process would have done next never happens. */
  const alive = async (): Promise<void> => (dead ? new Promise(() => undefined) : undefined);
  const come = async (point: Point): Promise<void> => {
    await gates.come(point);
    await alive();
  };
  const mine = <T extends { readonly action: { readonly id: ActionId } }>(seen: T[]): T[] =>
    swept === undefined ? seen : seen.filter(({ action }) => action.id === swept);

  const gatedStore: ActionStore = {
    ...store,
    async find(tenantId, id) {
      await alive();
      const found = await store.find(tenantId, id);
      await come('after find');
      return found;
    },
    async claim(claim) {
      await alive();
      const claimed = await store.claim(claim);
      await come('after claim');
      return claimed;
    },
    async apply(change) {
      await come('before apply');
      const applied = await store.apply(change);
      if (applied !== undefined) await come('after apply');
      await alive();
      return applied;
    },
    overdue: async (limit) => mine(await store.overdue(limit)),
    orphaned: async (limit) => mine(await store.orphaned(limit)),
    takeDueProbes: async (limit, againInMs) => mine(await store.takeDueProbes(limit, againInMs)),
  };
  const clock: Clock = {
    monotonic: () => now.monotonic,
    wall: () => now.wall,
    delay: () => come('delay'),
  };
  const inner = createDispatcher({
    endpoints: (name) => {
      const settings = endpoints(name);
      return settings && unplugged ? { ...settings, url: nowhere } : settings;
    },
  });
  const dispatcher: Dispatcher = {
    ...inner,
    async read(call) {
      await come('before read');
      const answer = await inner.read(call);
      await come('after read');
      return answer;
    },
    async write(call) {
      await come('before write');
      const answer = await inner.write(call);
      await alive();
      return answer;
    },
  };
  const silent = () => undefined;
  return {
    lifecycle: createLifecycle({
      store: gatedStore,
      catalog,
      dispatcher,
      clock,
      authorizer: { authorize: async () => ({ kind: 'allowed' }) },
      events,
      stops: noStops,
      retention: { actionsMs: Number.MAX_SAFE_INTEGER, eventsMs: Number.MAX_SAFE_INTEGER },
      ids: createIds(Date.now),
      log: { info: silent, warn: silent, error: silent },
    }),
    hold: gates.hold,
    freeze(ms, clocks = ['monotonic', 'wall']) {
      for (const each of clocks) now[each] += ms;
    },
    unplug() {
      unplugged = true;
    },
    sweepOnly(action) {
      swept = action;
    },
    async die() {
      dead = true;
      await inner.close();
    },
  };
}
