import type { JsonValue } from '@bufbuild/protobuf';
import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Action, ActionId } from '../../server/domain/action.ts';
import { cursorOf } from '../../server/lifecycle/event-cursor.ts';
import type { ActionEvent } from '../../server/lifecycle/ports/events.ts';
import { keyOf, methods, type Verb } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { requests } from './sample-requests.ts';
import { event, settledAction } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors();
});
afterEach(() => doors.close(1000));

/** A stock client, which takes 4 MiB. */
async function ask(verb: Verb, role: string, request = requests[verb]): Promise<JsonValue> {
  const client = new Client(doors.grpcAddress, credentials.createInsecure());
  const method = methods[verb];
  const metadata = new Metadata();
  metadata.set('authorization', keyOf(role).authorization ?? '');
  const asIs = (bytes: Buffer) => bytes;
  const sent = Buffer.from(toBinary(method.input, create(method.input, request)));
  const path = `/${method.parent.typeName}/${method.name}`;
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, asIs, asIs, sent, metadata, (error, bytes) => {
        if (error !== null || bytes === undefined) reject(error);
        else resolve(toJson(method.output, fromBinary(method.output, bytes)));
      });
    });
  } finally {
    client.close();
  }
}

const large = JSON.stringify({ note: 'x'.repeat(262_000) });
const idAt = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` as ActionId;
const actions = Array.from({ length: 40 }, (_, index): Action => {
  return { ...settledAction, id: idAt(index), arguments: large };
});

interface ActionPage {
  readonly actions: readonly { readonly id: string }[];
  readonly nextCursor?: string;
}

test('a page of large actions ends before stock clients refuse it, and its cursor goes on where it ended', async () => {
  doors.script.list = async (_, { cursor }) => {
    const from = cursor === '' ? 0 : actions.findIndex(({ id }) => id === cursor) + 1;
    return { items: actions.slice(from).map((action) => ({ action, error: null })), nextCursor: '' };
  };
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined; pages += 1) {
    const page = (await ask('list', 'agent', { pageSize: 500, cursor })) as unknown as ActionPage;
    seen.push(...page.actions.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(actions.map(({ id }) => id));
  expect(pages).toBe(4);
});

test('one action is told however large it is', async () => {
  const result = JSON.stringify('x'.repeat(3_500_000));
  const attempts = settledAction.attempts.map((each) => ({ ...each, result }));
  doors.script.list = async () => ({
    items: [
      { action: { ...settledAction, attempts }, error: null },
      ...actions.map((action) => ({ action, error: null })),
    ],
    nextCursor: 'the lifecycle’s',
  });
  const page = (await ask('list', 'agent')) as unknown as ActionPage;
  expect(page.actions.map(({ id }) => id)).toEqual([settledAction.id]);
  expect(page.nextCursor).toBe(settledAction.id);
});

test('events end before stock clients refuse them, and the cursor goes on where they ended', async () => {
  const events = Array.from({ length: 1000 }, (_, index): ActionEvent => {
    return { ...event, note: '語'.repeat(2000), position: { transaction: 7n, sequence: BigInt(index) } };
  });
  const end = cursorOf({ transaction: 7n, sequence: 999n });
  doors.script.listEvents = async (_, { cursor }) => {
    const from = cursor === '' ? 0 : events.findIndex(({ position }) => cursorOf(position) === cursor) + 1;
    return { events: events.slice(from), nextCursor: end, more: false };
  };
  let told = 0;
  let cursor = '';
  for (let more: boolean | undefined = true; more; ) {
    const page = (await ask('listEvents', 'operator', { pageSize: 1000, cursor })) as unknown as {
      events: unknown[];
      nextCursor: string;
      hasMore?: boolean;
    };
    told += page.events.length;
    cursor = page.nextCursor;
    more = page.hasMore;
  }
  expect([told, cursor]).toEqual([1000, end]);
});

test('what waits beside a call’s own answer leaves room for that', async () => {
  const pending = actions.map((action) => ({ action, error: null }));
  const own = JSON.stringify('x'.repeat(262_000));
  doors.script.call = async () => ({
    ...{ modelJson: own, result: own, action: null, error: null, idempotentReplay: false, pending },
  });
  const answer = (await ask('call', 'agent')) as unknown as { pendingActions: { id: string }[]; resultJson: string };
  expect(answer.resultJson).toBe(own);
  expect(answer.pendingActions.map(({ id }) => id)).toEqual(actions.slice(0, 3).map(({ id }) => id));
});
