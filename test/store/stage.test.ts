import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Inserted } from '../../server/lifecycle/ports/action-store.ts';
import { openStores } from './open-stores.ts';
import { applied, claimed, expired, newId, proposal, released, silent, staged, succeeded } from './proposal.ts';
import { createRecorded, type Recorded } from './recorder.ts';

const { database, store, storeOf } = await openStores(2, 10);

function idsOf(inserted: readonly Inserted[]): Set<string> {
  return new Set(inserted.map(({ observed }) => observed.action.id));
}

async function backdate(id: string, by = '1 hour'): Promise<void> {
  await database.query(
    `update action set expires_at = expires_at - $2::interval, sweep_at = sweep_at - $2::interval where id = $1`,
    [id, by],
  );
}

test('a staged action is found as it was staged', async () => {
  const asked = proposal({ summary: 'Void "T" \u0000 \u202e \\u0000 é', reversible: 'external', requestId: 'found-1' });
  const inserted = await store.insert(asked);
  expect(inserted.kind).toBe('inserted');
  const { action, at } = inserted.observed;
  const { ttlMs, intentHash: _hash, requestId: _request, requestedBy: _by, ...proposed } = asked;
  expect(action).toEqual({
    ...proposed,
    state: 'PENDING',
    effect: 'NONE',
    version: 1,
    attempts: [],
    resultAttempt: null,
    createdAt: at,
    expiresAt: new Date(at.getTime() + ttlMs),
    settledAt: null,
    placedAt: at,
    verification: null,
    resolution: null,
    rejection: null,
    note: '',
    supersedes: null,
    supersededBy: null,
    nextProbeAt: null,
  });
  expect((await store.find('acme', asked.id))?.action).toEqual(action);
  expect((await store.findByRequestId('acme', asked.proposedBy.credentialId, 'found-1'))?.action).toEqual(action);
});

test('arguments of 256 KiB come back byte for byte', async () => {
  const args = `{"note":"${'é'.repeat(131_000)}","sum":0.1}`;
  const { id } = await staged(store, { arguments: args });
  expect((await store.find('acme', id))?.action.arguments).toBe(args);
});

test('twenty identical proposals at once, over two servers, are one action', async () => {
  const asked = proposal();
  const inserted = await Promise.all(
    Array.from({ length: 20 }, (_, index) => storeOf(index).insert({ ...asked, id: newId() })),
  );
  expect(idsOf(inserted).size).toBe(1);
  expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
  expect(inserted.filter(({ kind }) => kind === 'held')).toHaveLength(19);
  expect(await database.query('select from action where intent_hash = $1', [asked.intentHash])).toHaveLength(1);
});

test('the same proposal of another tenant is another action, and neither tenant sees the other', async () => {
  const asked = proposal({ requestId: 'tenants-1' });
  const other = { ...asked, id: newId(), tenantId: 'globex' };
  expect((await store.insert(asked)).kind).toBe('inserted');
  expect((await store.insert(other)).kind).toBe('inserted');
  const { credentialId } = asked.proposedBy;
  expect(await store.find('globex', asked.id)).toBeUndefined();
  expect(await store.find('acme', other.id)).toBeUndefined();
  expect((await store.findByRequestId('acme', credentialId, 'tenants-1'))?.action.id).toBe(asked.id);
  expect((await store.findByRequestId('globex', credentialId, 'tenants-1'))?.action.id).toBe(other.id);
  expect(await store.findByRequestId('initech', credentialId, 'tenants-1')).toBeUndefined();
});

describe('an intent', () => {
  test.each([
    ['PENDING', async (asked: ReturnType<typeof proposal>) => staged(store, asked)],
    ['EXECUTING', async (asked) => claimed(store, await staged(store, asked))],
    [
      'INDETERMINATE',
      async (asked) => {
        const action = await claimed(store, await staged(store, asked), { timeoutMs: -60_000 });
        return applied(store, silent(action));
      },
    ],
    [
      'PENDING, in doubt and past its expiry',
      async (asked) => {
        const action = await claimed(store, await staged(store, asked));
        const pending = await applied(store, released(action, 'UNKNOWN'));
        await backdate(pending.id);
        return pending;
      },
    ],
    [
      'EXPIRED, in doubt',
      async (asked) => {
        const action = await claimed(store, await staged(store, asked));
        const pending = await applied(store, released(action, 'UNKNOWN'));
        await backdate(pending.id);
        return applied(store, expired(pending));
      },
    ],
  ] as [string, (asked: ReturnType<typeof proposal>) => Promise<{ id: string }>][])(
    'is held while its action is %s',
    async (_, arrange) => {
      const asked = proposal();
      const holder = await arrange(asked);
      const inserted = await store.insert({ ...asked, id: newId(), requestId: `held-${holder.id}` });
      expect(inserted.kind).toBe('held');
      expect(inserted.observed.action.id).toBe(holder.id);
      const found = await store.findByRequestId('acme', asked.proposedBy.credentialId, `held-${holder.id}`);
      expect(found?.action.id).toBe(holder.id);
    },
  );

  test.each([
    [
      'SUCCEEDED',
      async (asked: ReturnType<typeof proposal>) => {
        await applied(store, succeeded(await claimed(store, await staged(store, asked))));
      },
    ],
    [
      'REFUSED',
      async (asked) => {
        const change = released(await claimed(store, await staged(store, asked)), 'NONE');
        await applied(store, { ...change, state: 'REFUSED' });
      },
    ],
    [
      'EXPIRED',
      async (asked) => {
        const action = await staged(store, asked);
        await backdate(action.id);
        await applied(store, expired(action));
      },
    ],
  ] as [string, (asked: ReturnType<typeof proposal>) => Promise<void>][])(
    'passes on once its action is %s, to one of twenty',
    async (_, arrange) => {
      const asked = proposal();
      await arrange(asked);
      const inserted = await Promise.all(
        Array.from({ length: 20 }, (_, index) => storeOf(index).insert({ ...asked, id: newId() })),
      );
      expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
      expect(idsOf(inserted).size).toBe(1);
      expect(idsOf(inserted).has(asked.id)).toBe(false);
    },
  );

  test('of a PENDING action past its expiry passes on, and the action is expired with its event', async () => {
    const asked = proposal();
    await staged(store, asked);
    await backdate(asked.id);
    const inserted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storeOf(index).insert({ ...asked, id: newId() })),
    );
    expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
    expect(idsOf(inserted).has(asked.id)).toBe(false);
    const old = await store.find('acme', asked.id);
    expect(old?.action).toMatchObject({ state: 'EXPIRED', effect: 'NONE', version: 2 });
    expect(old?.action.settledAt).toBeInstanceOf(Date);
    const events = await database.query(
      'select type, from_state, actor_user from event where action_id = $1 order by version desc limit 1',
      [asked.id],
    );
    expect(events).toEqual([{ type: 'EXPIRED', from_state: 'PENDING', actor_user: null }]);
  });
});

describe('an intent that is about to pass on', () => {
  let recorded: Recorded;
  beforeAll(() => {
    recorded = createRecorded(database.url);
  });
  afterAll(() => recorded.pool.end());

  test('stays when its settled action comes into doubt meanwhile', async () => {
    const asked = proposal();
    const refusal = released(await claimed(store, await staged(store, asked)), 'NONE');
    const refused = await applied(store, { ...refusal, state: 'REFUSED' });
    recorded.before.set('action_insert_after_settled', async () => {
      await store.apply({ ...released(refused, 'UNKNOWN'), state: 'REFUSED', event: 'LATE_ANSWER' });
    });
    const inserted = await recorded.store.insert({ ...asked, id: newId() });
    expect(inserted).toMatchObject({ kind: 'held', observed: { action: { id: asked.id, effect: 'UNKNOWN' } } });
  });

  test('goes all the same when a sweeper expires its overdue action meanwhile', async () => {
    const asked = proposal();
    const action = await staged(store, asked);
    await backdate(action.id);
    recorded.before.set('action_insert_after_overdue', async () => {
      await store.apply(expired(action));
    });
    const id = newId();
    const inserted = await recorded.store.insert({ ...asked, id });
    expect(inserted).toMatchObject({ kind: 'inserted', observed: { action: { id } } });
  });

  test('stays with whoever got it meanwhile, and the request id tells who that is', async () => {
    const asked = proposal();
    await staged(store, asked);
    await backdate(asked.id);
    const other = { ...asked, id: newId(), requestId: newId() };
    recorded.before.set('action_insert_after_overdue', async () => {
      recorded.before.clear();
      expect((await store.insert(other)).kind).toBe('inserted');
    });
    const inserted = await recorded.store.insert({ ...other, id: newId() });
    expect(inserted).toMatchObject({ kind: 'requested', observed: { action: { id: other.id } } });
  });
});

describe('a request id', () => {
  test('used again names its action, whatever became of it', async () => {
    const asked = proposal({ requestId: 'again-1' });
    const action = await claimed(store, await staged(store, asked));
    await applied(store, succeeded(action));
    const inserted = await store.insert({ ...asked, id: newId() });
    expect(inserted.kind).toBe('requested');
    expect(inserted.observed.action).toMatchObject({ id: asked.id, state: 'SUCCEEDED' });
  });

  test('used for two proposals at once makes one action', async () => {
    for (let round = 0; round < 10; round++) {
      const asked = Array.from({ length: 8 }, () => proposal({ requestId: `race-${round}` }));
      const inserted = await Promise.all(asked.map((each, index) => storeOf(index).insert(each)));
      expect(idsOf(inserted).size).toBe(1);
      expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
      expect(inserted.filter(({ kind }) => kind === 'requested')).toHaveLength(7);
      const rows = await database.query('select from intent where intent_hash = any($1)', [
        asked.map(({ intentHash }) => intentHash),
      ]);
      expect(rows).toHaveLength(1);
    }
  });

  test('of another credential is another request', async () => {
    const first = await staged(store, { requestId: 'mine' });
    const second = await staged(store, {
      requestId: 'mine',
      proposedBy: { credentialId: 'other-credential', userId: 'agent-user' },
    });
    expect(second.id).not.toBe(first.id);
    expect((await store.findByRequestId('acme', 'other-credential', 'mine'))?.action.id).toBe(second.id);
  });
});
