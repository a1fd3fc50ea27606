import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  createTetherClient,
  type TetherClient,
  type TetherError,
  type WatchInput,
  type WatchUpdate,
} from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ServerProcess } from '../../faults/server-process.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
let server: ServerProcess;
beforeAll(async () => {
  place = await openClientPlace();
  server = await place.server();
});
afterAll(() => place.close());

let proxy: TcpProxy;
let agent: TetherClient;
let approver: TetherClient;
beforeEach(async () => {
  proxy = await startProxy(server.httpUrl);
  agent = createTetherClient({ url: server.httpUrl, key: place.keys.agent });
  approver = createTetherClient({ url: server.httpUrl, key: place.keys.approver });
});
afterEach(() => proxy.close());

/** A watcher behind the proxy, and what it was told. */
function watchThroughProxy(input: WatchInput, { key = place.keys.approver, silenceMs = 40_000, grpc = false } = {}) {
  const told: WatchUpdate[] = [];
  const interruptions: TetherError[] = [];
  const looking = new Set<() => void>();
  const leaving = new AbortController();
  const way = grpc ? { transport: grpcTransport({ url: proxy.url }) } : { url: proxy.url };
  const client = createTetherClient({ ...way, key, retry: { baseDelayMs: 5 } });
  const { signal } = leaving;
  const ended = (async () => {
    const onInterrupted = (error: TetherError): void => void interruptions.push(error);
    for await (const update of client.watch(input, { signal, silenceMs, onInterrupted })) {
      told.push(update);
      for (const look of looking) look();
    }
  })();
  return {
    told,
    interruptions,
    ended,
    leave: () => leaving.abort(),
    /** Resolves when what was told so far fits; rejects when the watch ends before. */
    async until(fits: (told: readonly WatchUpdate[]) => boolean): Promise<void> {
      const found = Promise.withResolvers<void>();
      const look = (): void => {
        if (fits(told)) found.resolve();
      };
      looking.add(look);
      look();
      const end = ended.then(() => Promise.reject(new Error('the watch ended')));
      await Promise.race([found.promise, end]).finally(() => looking.delete(look));
    },
  };
}

let tickets = 0;
async function staged(userId: string): Promise<string> {
  tickets += 1;
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: `W-${tickets}` }, userId });
  return action.id;
}

/** What was told as changes: action and type. */
function changes(told: readonly WatchUpdate[]): string[] {
  return told.flatMap((each) => (each.kind === 'change' ? [`${each.event.actionId} ${each.event.type}`] : []));
}

const isCurrent = (told: readonly WatchUpdate[]): boolean => told.some(({ kind }) => kind === 'current');

test('first the actions as they are, then that this was all, then what changes, with the action as it is', async () => {
  const before = await staged('u-first');
  const watching = watchThroughProxy({ userId: 'u-first' });
  await watching.until(isCurrent);
  expect(watching.told).toMatchObject([
    { kind: 'snapshot', action: { id: before, state: 'PENDING', arguments: { ticket_id: `W-${tickets}` } } },
    { kind: 'current' },
  ]);
  await approver.reject({ actionId: before, reason: 'No.' });
  await watching.until((told) => changes(told).length === 1);
  expect(watching.told.at(-1)).toMatchObject({
    event: { type: 'REJECTED', fromState: 'PENDING', toState: 'REJECTED', effect: 'NONE', note: 'No.' },
    action: { state: 'REJECTED', rejectionReason: 'No.' },
  });
  watching.leave();
  await watching.ended;
});

test.each([
  ['Connect', false],
  ['gRPC', true],
])(
  'a watch whose connection is cut goes on where it was, by %s: nothing is missed, nothing told twice',
  async (by, grpc) => {
    if (grpc) proxy.retarget(`http://${server.grpcAddress}`);
    const userId = `u-cut-${by}`;
    const watching = watchThroughProxy({ userId }, { grpc });
    await watching.until(isCurrent);
    const expected: string[] = [];
    for (let round = 1; round <= 5; round++) {
      const id = await staged(userId);
      if (round % 2 === 0) await watching.until((told) => changes(told).includes(`${id} STAGED`));
      proxy.breakAll();
      await approver.reject({ actionId: id, reason: 'No.' });
      expected.push(`${id} STAGED`, `${id} REJECTED`);
    }
    await watching.until((told) => changes(told).length >= expected.length);
    expect(changes(watching.told)).toEqual(expected);
    expect(watching.told.filter(({ kind }) => kind !== 'change')).toHaveLength(1);
    expect(watching.interruptions.length).toBeGreaterThan(0);
    expect(watching.interruptions[0]).toMatchObject({ effect: 'NONE', answered: false });
    watching.leave();
    await watching.ended;
  },
);

test('a watch outlives its server: it goes on at the next one, with what happened meanwhile', async () => {
  const doomed = await place.server();
  proxy.retarget(doomed.httpUrl);
  const watching = watchThroughProxy({ userId: 'u-restart' });
  await watching.until(isCurrent);
  const first = await staged('u-restart');
  await watching.until((told) => changes(told).length === 1);
  await doomed.kill();
  const meanwhile = await staged('u-restart');
  const next = await place.server();
  proxy.retarget(next.httpUrl);
  await watching.until((told) => changes(told).length === 2);
  expect(changes(watching.told)).toEqual([`${first} STAGED`, `${meanwhile} STAGED`]);

  // And one that stops in order says so, and is left in the same way.
  await next.stop();
  proxy.retarget(server.httpUrl);
  const last = await staged('u-restart');
  await watching.until((told) => changes(told).length === 3);
  expect(changes(watching.told).at(-1)).toBe(`${last} STAGED`);
  watching.leave();
  await watching.ended;
});

test('a connection without a sign of life is given up for another, though nothing broke it', async () => {
  const watching = watchThroughProxy({ userId: 'u-silence' }, { silenceMs: 250 });
  await watching.until(isCurrent);
  proxy.freeze();
  const id = await staged('u-silence');
  await watching.until((told) => changes(told).includes(`${id} STAGED`));
  expect(watching.interruptions.length).toBeGreaterThan(0);
  watching.leave();
  await watching.ended;
});

test('a cursor goes on in another watch, without a snapshot', async () => {
  const before = await staged('u-cursor');
  const first = watchThroughProxy({ userId: 'u-cursor' });
  await first.until(isCurrent);
  const seen = await staged('u-cursor');
  await first.until((told) => changes(told).length === 1);
  first.leave();
  await first.ended;
  const last = first.told.at(-1);
  const after = await staged('u-cursor');
  const second = watchThroughProxy({ userId: 'u-cursor', cursor: last?.kind === 'change' ? last.cursor : '' });
  await second.until((told) => told.length > 0);
  expect(changes(second.told)).toEqual([`${after} STAGED`]);
  expect([before, seen]).not.toContain(after);
  second.leave();
  await second.ended;
});

test('an abort ends the loop, at once and without an error, and so does leaving it', async () => {
  const watching = watchThroughProxy({ userId: 'u-abort' });
  await watching.until(isCurrent);
  watching.leave();
  await expect(watching.ended).resolves.toBeUndefined();
  for await (const { kind } of approver.watch({ userId: 'u-abort' })) if (kind === 'current') break;
});

test('a watch that is refused, or that reaches nobody from the start, throws', async () => {
  const refused = watchThroughProxy({}, { key: 'no-key-of-anybody' });
  expect(await failureOf(refused.ended)).toMatchObject({ code: 'UNAUTHENTICATED', answered: true });
  const nobody = await startProxy(server.httpUrl);
  await nobody.close();
  const client = createTetherClient({ url: nobody.url, key: 'any', retry: { repeats: 2, baseDelayMs: 1 } });
  const reaching = client.watch()[Symbol.asyncIterator]().next();
  expect(await failureOf(reaching)).toMatchObject({ answered: false, effect: 'NONE' });
});

test('whoever waits for an outcome gets it when somebody has decided', async () => {
  const through = createTetherClient({ url: proxy.url, key: place.keys.agent, retry: { baseDelayMs: 5 } });
  const { action } = await through.stage({ tool: 'void_ticket', arguments: { ticket_id: 'W-wait' } });
  const waiting = through.waitForOutcome(action);
  await proxy.answeredAgain();
  proxy.breakAll();
  await approver.confirm({ action });
  expect(await waiting).toMatchObject({
    action: { state: 'SUCCEEDED', effect: 'APPLIED', result: { status: 'void' } },
  });

  const { action: undecided } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'W-late' } });
  expect(await failureOf(agent.waitForOutcome(undecided, { timeoutMs: 50 }))).toMatchObject({
    ...{ code: 'DEADLINE_EXCEEDED', effect: 'NONE' },
  });
});

test('a snapshot that is cut begins anew, and is over only when it was whole', async () => {
  const asked: string[] = [];
  const snapshot = (id: string) => ({ update: { case: 'snapshot' as const, value: { id } }, cursor: 'end' });
  const transport = createRouterTransport(({ rpc }) => {
    rpc(ActionService.method.watch, async function* ({ cursor }) {
      asked.push(cursor);
      yield snapshot('a');
      if (asked.length === 1) throw new ConnectError('cut', Code.Unavailable);
      yield snapshot('b');
      yield { update: { case: 'heartbeat', value: {} }, cursor: 'end' };
    });
  });
  const told: string[] = [];
  for await (const update of createTetherClient({ transport, retry: { baseDelayMs: 1 } }).watch()) {
    told.push(update.kind === 'snapshot' ? update.action.id : update.kind);
    if (update.kind === 'current') break;
  }
  expect(told).toEqual(['a', 'a', 'b', 'current']);
  expect(asked).toEqual(['', '']);
});
