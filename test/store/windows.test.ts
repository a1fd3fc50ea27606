import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NewAction } from '../../server/lifecycle/ports/action-store.ts';
import { openStores } from './open-stores.ts';
import {
  applied,
  approver,
  backdate,
  claimed,
  expired,
  learned,
  newId,
  proposal,
  rejected,
  released,
  staged,
  succeeded,
} from './proposal.ts';

const { database, store, storeOf } = await openStores(2, 10);

const hour = 3_600_000;

/** A proposal of a tool with declared intent fields: the same wish whatever else the arguments say. */
function wish(ticket: string, note: string, change: Partial<NewAction> = {}): NewAction {
  return proposal({
    arguments: JSON.stringify({ note, ticket }),
    intentHash: createHash('sha256').update(ticket).digest(),
    ...change,
  });
}

async function settledAgo(id: string, ms: number): Promise<void> {
  await database.query(`update action set settled_at = now() - $2 * interval '1 millisecond' where id = $1`, [id, ms]);
}

const endings: [string, (asked: NewAction) => Promise<{ id: string }>, boolean][] = [
  ['SUCCEEDED', async (asked) => applied(store, succeeded(await claimed(store, await staged(store, asked)))), true],
  [
    'REFUSED',
    async (asked) => {
      const change = released(await claimed(store, await staged(store, asked)), 'NONE');
      return applied(store, { ...change, state: 'REFUSED' });
    },
    true,
  ],
  [
    'FAILED',
    async (asked) => {
      const change = released(await claimed(store, await staged(store, asked)), 'NONE');
      return applied(store, { ...change, state: 'FAILED' });
    },
    true,
  ],
  [
    'PRECONDITION_FAILED',
    async (asked) => {
      const action = await staged(store, asked);
      return applied(store, { ...rejected(action), state: 'PRECONDITION_FAILED', event: 'PRECONDITION_CHANGED' });
    },
    true,
  ],
  [
    'EXPIRED',
    async (asked) => {
      const action = await staged(store, asked);
      await backdate(database, action.id);
      return applied(store, expired(action));
    },
    false,
  ],
  [
    'EXPIRED, and turned out to have taken effect',
    async (asked) => {
      const pending = await applied(store, released(await claimed(store, await staged(store, asked)), 'UNKNOWN'));
      await backdate(database, pending.id);
      return applied(store, learned(await applied(store, expired(pending)), 1, 'APPLIED', {}));
    },
    true,
  ],
];

describe.each(endings)('the intent of an action that is %s', (_, arrange, isSettlement) => {
  test('is held for the window that was declared when it was staged', async () => {
    const asked = proposal({ intentWindowMs: hour });
    const holder = await arrange(asked);
    await settledAgo(holder.id, hour - 60_000);
    // What the tool declares by now does not matter.
    const again = { ...asked, id: newId(), intentWindowMs: 0 };
    const met = await store.meet(again);
    expect(met?.kind).toBe(isSettlement ? 'held' : undefined);
    const inserted = await store.insert(again);
    expect(inserted.kind).toBe(isSettlement ? 'held' : 'inserted');
    expect(inserted.observed.action.id).toBe(isSettlement ? holder.id : again.id);
  });

  test('is free after that', async () => {
    const asked = proposal({ intentWindowMs: hour });
    const holder = await arrange(asked);
    await settledAgo(holder.id, hour + 1);
    const again = { ...asked, id: newId(), intentWindowMs: 24 * hour };
    expect(await store.meet(again)).toBeUndefined();
    expect((await store.insert(again)).kind).toBe('inserted');
  });
});

test('a rejection holds the intent until the expiry that the action had, window or none', async () => {
  const asked = proposal();
  const no = await applied(store, rejected(await staged(store, asked), 'because'));
  await settledAgo(no.id, 24 * hour);
  const held = await store.insert({ ...asked, id: newId() });
  expect(held).toMatchObject({ kind: 'held', observed: { action: { id: no.id, rejection: { reason: 'because' } } } });
  await backdate(database, no.id);
  expect((await store.insert({ ...asked, id: newId() })).kind).toBe('inserted');
  const windowed = proposal({ intentWindowMs: hour });
  const other = await applied(store, rejected(await staged(store, windowed)));
  await backdate(database, other.id);
  expect((await store.insert({ ...windowed, id: newId() })).kind).toBe('inserted');
});

describe('under one declared intent', () => {
  test('twenty proposals at once with different arguments are one action', async () => {
    const asked = Array.from({ length: 20 }, (_, index) =>
      wish('T-1', `text ${index}`, { requestId: `many-${index}` }),
    );
    const inserted = await Promise.all(asked.map((each, index) => storeOf(index).insert(each)));
    expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
    expect(inserted.filter(({ kind }) => kind === 'held')).toHaveLength(19);
    const ids = new Set(inserted.map(({ observed }) => observed.action.id));
    expect(ids.size).toBe(1);
    expect(
      await database.query(`select from action where tool = 'void_ticket' and arguments like '%T-1"%'`),
    ).toHaveLength(1);
    // Those that were refused have used no request id.
    expect(await database.query(`select from stage_request where request_id like 'many-%'`)).toHaveLength(1);
  });

  test('a request id is recorded for the holder of the same proposal, and stays free for another', async () => {
    const holder = await staged(store, wish('T-2', 'first'));
    for (const call of ['meet', 'insert'] as const) {
      const other = await store[call](wish('T-2', 'other', { requestId: `other-${call}` }));
      expect(other).toMatchObject({ kind: 'held', observed: { action: { id: holder.id } } });
      expect(await store.findByRequestId('acme', 'agent-credential', `other-${call}`)).toBeUndefined();
      const same = await store[call](wish('T-2', 'first', { requestId: `same-${call}` }));
      expect(same).toMatchObject({ kind: 'held', observed: { action: { id: holder.id } } });
      const known = await store.findByRequestId('acme', 'agent-credential', `same-${call}`);
      expect(known?.action.id).toBe(holder.id);
    }
  });
});

test('a request id is met before the intent, and belongs to whoever requested', async () => {
  const first = await staged(store, { requestId: 'met' });
  expect(await store.meet(proposal({ requestId: 'met' }))).toMatchObject({
    kind: 'requested',
    observed: { action: { id: first.id } },
  });
  expect(await store.meet(proposal({ requestId: 'met', requestedBy: approver }))).toBeUndefined();
  const second = await store.insert(proposal({ requestId: 'met', requestedBy: approver }));
  expect(second).toMatchObject({ kind: 'inserted', observed: { action: { proposedBy: { userId: 'agent-user' } } } });
  const found = await store.findByRequestId('acme', approver.credentialId, 'met');
  expect(found?.action.id).toBe(second.observed.action.id);
});

test('what is declared is kept as it was when it was staged', async () => {
  const declared = {
    value: { amountJson: '80.5', threshold: 50.25, unit: 'USD' },
    fourEyes: true,
    precondition: '{"/status":"open \\u0000"}',
    intentWindowMs: 90 * 24 * hour,
    amendedBy: null,
  };
  const action = await staged(store, declared);
  expect(action).toMatchObject(declared);
  expect((await store.find('acme', action.id))?.action).toEqual(action);
});
