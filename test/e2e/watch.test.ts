import { ActionEventType } from '@tether/proto/tether/v1/action_event_pb.ts';
import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import type { WatchResponse } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { nameOf } from '../faults/name-of.ts';
import { type Business, idOf, openBusiness, proposal, type Replica } from './business.ts';
import { standing } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let first: Replica;
let second: Replica;
beforeAll(async () => {
  business = await openBusiness();
  [first, second] = await Promise.all([business.replica(), business.replica()]);
});
afterAll(() => business.close());

/** One watcher's stream: what it was told so far, and where it would go on. */
interface Stream {
  readonly heard: readonly WatchResponse[];
  /** Resolves when what was heard so far fits; rejects when the stream ends before. */
  until(fits: (heard: readonly WatchResponse[]) => boolean): Promise<void>;
  cursor(): string;
  /** Cuts it, as a caller who is gone. */
  cut(): Promise<void>;
}

function watch(replica: Replica, request: Parameters<Replica['approver']['watch']>[0] = {}): Stream {
  const heard: WatchResponse[] = [];
  const looking = new Set<() => void>();
  const leaving = new AbortController();
  const ended = (async () => {
    for await (const response of replica.approver.watch(request, { signal: leaving.signal })) {
      heard.push(response);
      for (const look of looking) look();
    }
  })().catch((error: unknown) => error);
  return {
    heard,
    async until(fits) {
      const found = Promise.withResolvers<void>();
      const look = () => {
        if (fits(heard)) found.resolve();
      };
      looking.add(look);
      look();
      const end = ended.then((error) => Promise.reject(new Error('the stream ended', { cause: error })));
      await Promise.race([found.promise, end]).finally(() => looking.delete(look));
    },
    cursor: () => heard.at(-1)?.cursor ?? '',
    async cut() {
      leaving.abort();
      await ended;
    },
  };
}

const isHeartbeat = ({ update }: WatchResponse) => update.case === 'heartbeat';

/** What was told as changes: action and version. */
function changes(heard: readonly WatchResponse[]): string[] {
  return heard.flatMap(({ update }) =>
    update.case === 'change' ? [`${update.value.event?.actionId} ${update.value.event?.version}`] : [],
  );
}

async function stage(on: Replica, userId: string): Promise<ActionId> {
  const { action } = await on.agent.stage({ ...proposal('comment', await business.ticket()), userId });
  return idOf(action);
}

/** Two changes: proposed on one replica, refused by a person on the other. */
async function stageAndReject(on: Replica, by: Replica, userId: string): Promise<ActionId> {
  const id = await stage(on, userId);
  await by.approver.reject({ actionId: id, reason: 'no' });
  return id;
}

/** Three changes: proposed on one replica, claimed and settled on the other. */
async function stageAndConfirm(on: Replica, by: Replica, userId: string): Promise<ActionId> {
  const id = await stage(on, userId);
  await by.approver.confirm({ actionId: id });
  return id;
}

/** Fifty changes of twenty actions, alternately over both replicas, five actions at a time. */
async function fiftyChanges(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const acts = Array.from({ length: 10 }, (_, turn) => {
      const [on, by] = turn % 2 === 0 ? [first, second] : [second, first];
      return turn < 5 ? stageAndReject(on, by, 'u-many') : stageAndConfirm(on, by, 'u-many');
    });
    await Promise.all(acts);
  }
}

/** Cuts every connection that hears notifications; resolves with how many there were. */
async function cutListeners(): Promise<number> {
  const cut = await business.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'tether-events'`,
  );
  return cut.length;
}

async function recorded(): Promise<string[]> {
  const rows = await business.database.query<{ change: string }>(
    `select action_id || ' ' || version as change from event`,
  );
  return rows.map(({ change }) => change);
}

test('200 changes over two replicas arrive in order per action, none lost and none twice, whatever is cut', async () => {
  const stream = watch(first);
  await stream.until((heard) => heard.some(isHeartbeat));
  expect(stream.heard.filter(({ update }) => update.case === 'snapshot')).toEqual([]);

  await fiftyChanges();
  await stream.until((heard) => changes(heard).length >= 50);

  // The connection that hears notifications breaks while changes are made.
  const meanwhile = fiftyChanges();
  await stream.until((heard) => changes(heard).length >= 60);
  expect(await cutListeners()).toBeGreaterThan(0);
  await meanwhile;
  await stream.until((heard) => changes(heard).length >= 100);

  // The stream itself breaks while changes are made, and goes on at the other replica.
  const unwatched = fiftyChanges();
  await stream.until((heard) => changes(heard).length >= 110);
  await stream.cut();
  await unwatched;
  const resumed = watch(second, { cursor: stream.cursor() });
  await fiftyChanges();
  const all = () => [...changes(stream.heard), ...changes(resumed.heard)];
  await resumed.until(() => all().length >= 200);

  expect(resumed.heard.filter(({ update }) => update.case === 'snapshot')).toEqual([]);
  expect(all()).toHaveLength(200);
  expect(all().toSorted()).toEqual((await recorded()).toSorted());
  const versions = Object.groupBy(all(), (change) => change.split(' ')[0] ?? '');
  for (const [id, told] of Object.entries(versions)) {
    expect(told).toEqual(told?.map((_, index) => `${id} ${index + 1}`));
  }
  await resumed.cut();
});

test('first the actions as they are, then a heartbeat, then what changes, each with the action as it is', async () => {
  const rejected = await stageAndReject(first, second, 'u-snapshot');
  const pending = await stage(second, 'u-snapshot');

  const stream = watch(first, { filter: { userId: 'u-snapshot' } });
  await stream.until((heard) => heard.some(isHeartbeat));
  const snapshots = stream.heard.slice(0, -1).map(({ update }) => update);
  expect(snapshots.map(({ case: kind, value }) => [kind, kind === 'snapshot' ? standing(value) : '', value])).toEqual([
    ['snapshot', 'PENDING/NONE', expect.objectContaining({ id: pending })],
    ['snapshot', 'REJECTED/NONE', expect.objectContaining({ id: rejected })],
  ]);

  await second.approver.confirm({ actionId: pending });
  await stream.until((heard) => changes(heard).length >= 2);
  const told = stream.heard.flatMap(({ update }) => (update.case === 'change' ? [update.value] : []));
  expect(told.map(({ event }) => [event?.actionId, nameOf(ActionEventType, event?.type)])).toEqual([
    [pending, 'CLAIMED'],
    [pending, 'SETTLED'],
  ]);
  expect(standing(told.at(-1)?.action)).toBe('SUCCEEDED/APPLIED');
  await stream.cut();
});

test('a filter tells what fits it, and what no longer does, also when that happened while nobody watched', async () => {
  const filter = { userId: 'u-filter', states: [ActionState.PENDING] };
  const stream = watch(first, { filter });
  await stream.until((heard) => heard.some(isHeartbeat));
  const decided = await stageAndReject(second, first, 'u-filter');
  const waits = await stage(second, 'u-filter');
  await stream.until((heard) => changes(heard).length >= 3);
  expect(changes(stream.heard)).toEqual([`${decided} 1`, `${decided} 2`, `${waits} 1`]);
  await stream.cut();

  await second.approver.confirm({ actionId: waits });
  const next = await stage(second, 'u-filter');
  const resumed = watch(second, { filter, cursor: stream.cursor() });
  await resumed.until((heard) => changes(heard).includes(`${next} 1`));
  expect(changes(resumed.heard)).toEqual([`${waits} 2`, `${next} 1`]);
  await resumed.cut();
});
