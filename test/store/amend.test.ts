import { describe, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import type { Amended, NewAction } from '../../server/lifecycle/ports/action-store.ts';
import { openStores } from './open-stores.ts';
import {
  agent,
  applied,
  approver,
  backdate,
  claimed,
  claimOf,
  newId,
  proposal,
  rejected,
  released,
  staged,
  succeeded,
} from './proposal.ts';
import { createRecorded } from './recorder.ts';

const { database, opened, store, storeOf } = await openStores(2, 10);

/** What an approver puts in the place of an action. */
function replacement(old: Action, change: Partial<NewAction> = {}): NewAction {
  return proposal({
    planId: old.planId,
    placedAt: old.placedAt,
    proposedBy: old.proposedBy,
    requestedBy: approver,
    amendedBy: approver,
    ...change,
  });
}

async function amended(old: Action, asked: NewAction): Promise<Extract<Amended, { kind: 'amended' }>> {
  const outcome = await store.amend(old, asked);
  if (outcome.kind !== 'amended') throw new Error(`not amended: ${outcome.kind}`);
  return outcome;
}

async function holderOf(intentHash: Uint8Array): Promise<string | undefined> {
  const [row] = await database.query<{ action_id: string }>('select action_id from intent where intent_hash = $1', [
    intentHash,
  ]);
  return row?.action_id;
}

test('a new action stands in the place of the old one, and each says so', async () => {
  const old = await staged(store, { planId: 'the-plan', placedAt: new Date('2026-01-02T03:04:05.678Z') });
  const asked = replacement(old, { value: { amountJson: null, threshold: 50, unit: '' }, requestId: 'amend-1' });
  const { superseded, observed } = await amended(old, asked);
  expect((await store.find('acme', old.id))?.action).toEqual(superseded.action);
  expect((await store.find('acme', asked.id))?.action).toEqual(observed.action);
  expect(superseded.action).toEqual({
    ...old,
    state: 'SUPERSEDED',
    version: 2,
    supersededBy: asked.id,
    settledAt: observed.at,
  });
  expect(observed.action).toMatchObject({
    state: 'PENDING',
    version: 1,
    supersedes: old.id,
    amendedBy: approver,
    proposedBy: agent,
    planId: 'the-plan',
    placedAt: old.placedAt,
    arguments: asked.arguments,
    value: asked.value,
  });
  const trail = await opened.events.read({ tenantId: 'acme', actionId: old.id, after: null, limit: 10 });
  expect(trail?.map(({ type, to, actor }) => [type, to, actor])).toEqual([
    ['STAGED', 'PENDING', agent],
    ['SUPERSEDED', 'SUPERSEDED', approver],
  ]);
  const anew = await opened.events.read({ tenantId: 'acme', actionId: asked.id, after: null, limit: 10 });
  expect(anew?.map(({ type, to, actor }) => [type, to, actor])).toEqual([['STAGED', 'PENDING', approver]]);
  expect(trail?.[1]?.position.transaction).toBe(anew?.[0]?.position.transaction);
  expect((await store.findByRequestId('acme', approver.credentialId, 'amend-1'))?.action.id).toBe(asked.id);
  // A line of amendments keeps its place.
  const { observed: third } = await amended(observed.action, replacement(observed.action));
  expect(third.action).toMatchObject({ supersedes: asked.id, placedAt: old.placedAt });
});

describe('the intent', () => {
  test('passes on when it is the same', async () => {
    const first = proposal();
    const old = await staged(store, first);
    const asked = replacement(old, { intentHash: first.intentHash });
    await amended(old, asked);
    expect(await holderOf(first.intentHash)).toBe(asked.id);
    expect(await store.insert({ ...first, id: newId() })).toMatchObject({
      kind: 'held',
      observed: { action: { id: asked.id } },
    });
  });

  test('is let go when it is another one, and the new one is held', async () => {
    const first = proposal();
    const old = await staged(store, first);
    const asked = replacement(old);
    await amended(old, asked);
    expect(await holderOf(first.intentHash)).toBeUndefined();
    expect(await holderOf(asked.intentHash)).toBe(asked.id);
    expect((await store.insert({ ...first, id: newId() })).kind).toBe('inserted');
  });

  test('of another action that holds it is not taken, and nothing is written', async () => {
    const held = proposal();
    const other = await staged(store, held);
    const old = await staged(store);
    const asked = replacement(old, { intentHash: held.intentHash, requestId: 'held-by-other' });
    expect(await store.amend(old, asked)).toMatchObject({ kind: 'held', observed: { action: { id: other.id } } });
    expect((await store.find('acme', old.id))?.action).toEqual(old);
    expect(await store.find('acme', asked.id)).toBeUndefined();
    expect(await store.findByRequestId('acme', approver.credentialId, 'held-by-other')).toBeUndefined();
    expect(await holderOf(held.intentHash)).toBe(other.id);
  });

  test('of another action that has ended is taken', async () => {
    const ended = proposal();
    await applied(store, succeeded(await claimed(store, await staged(store, ended))));
    const old = await staged(store);
    await amended(old, replacement(old, { intentHash: ended.intentHash }));
    const rejection = proposal();
    const no = await applied(store, rejected(await staged(store, rejection)));
    const next = await staged(store);
    const asked = replacement(next, { intentHash: rejection.intentHash });
    expect((await store.amend(next, asked)).kind).toBe('held');
    await backdate(database, no.id);
    await amended(next, asked);
    expect(await holderOf(rejection.intentHash)).toBe(asked.id);
  });

  test('of another action that is overdue is taken, and that one is expired with its event', async () => {
    const late = proposal();
    const overdue = await staged(store, late);
    await backdate(database, overdue.id);
    const old = await staged(store);
    const asked = replacement(old, { intentHash: late.intentHash });
    await amended(old, asked);
    expect((await store.find('acme', overdue.id))?.action).toMatchObject({ state: 'EXPIRED', version: 2 });
    expect(await holderOf(late.intentHash)).toBe(asked.id);
  });

  test('of an overdue action stays, and that one too, when the old action was confirmed meanwhile', async () => {
    const late = proposal();
    const overdue = await staged(store, late);
    await backdate(database, overdue.id);
    const old = await staged(store);
    const recorded = createRecorded(database.url);
    try {
      recorded.before.set('action_amend_after_overdue', async () => {
        await claimed(store, old);
      });
      const asked = replacement(old, { intentHash: late.intentHash });
      expect(await recorded.store.amend(old, asked)).toEqual({ kind: 'lost' });
      expect((await store.find('acme', overdue.id))?.action).toMatchObject({ state: 'PENDING', version: 1 });
      expect(await holderOf(late.intentHash)).toBe(overdue.id);
      expect(await store.find('acme', asked.id)).toBeUndefined();
    } finally {
      await recorded.pool.end();
    }
  });
});

describe('nothing is amended', () => {
  test('that is in doubt, past its expiry, under way, ended, of another version or another tenant', async () => {
    const doubted = await applied(store, released(await claimed(store, await staged(store)), 'UNKNOWN'));
    const overdue = await staged(store);
    await backdate(database, overdue.id);
    const executing = await claimed(store, await staged(store));
    const ended = await applied(store, rejected(await staged(store)));
    const pending = await staged(store);
    for (const old of [doubted, overdue, executing, ended, { ...pending, version: 2 }, { ...pending, version: 0 }]) {
      const before = await store.find('acme', old.id);
      const asked = replacement(old);
      expect(await store.amend(old, asked)).toEqual({ kind: 'lost' });
      expect((await store.find('acme', old.id))?.action).toEqual(before?.action);
      expect(await store.find('acme', asked.id)).toBeUndefined();
      expect(await holderOf(asked.intentHash)).toBeUndefined();
    }
    const foreign = replacement(pending, { tenantId: 'globex' });
    expect(await store.amend({ ...pending, tenantId: 'globex' }, foreign)).toEqual({ kind: 'lost' });
    expect((await store.find('acme', pending.id))?.action).toEqual(pending);
  });

  test('under a request id that was used', async () => {
    const first = await staged(store, { requestId: 'used', requestedBy: approver });
    const old = await staged(store);
    const asked = replacement(old, { requestId: 'used' });
    expect(await store.amend(old, asked)).toMatchObject({ kind: 'requested', observed: { action: { id: first.id } } });
    expect((await store.find('acme', old.id))?.action).toEqual(old);
    expect(await holderOf(asked.intentHash)).toBeUndefined();
  });
});

describe('at once', () => {
  const rounds = Array.from({ length: 8 }, (_, round) => round);

  test('of twenty amendments one is made', async () => {
    const old = await staged(store);
    const asked = Array.from({ length: 20 }, () => replacement(old));
    const outcomes = await Promise.all(asked.map((each, index) => storeOf(index).amend(old, each)));
    expect(outcomes.filter(({ kind }) => kind === 'amended')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'lost')).toHaveLength(19);
    const made = await database.query('select id from action where supersedes = $1', [old.id]);
    expect(made).toHaveLength(1);
    const held = await database.query('select from intent where intent_hash = any($1)', [
      asked.map(({ intentHash }) => intentHash),
    ]);
    expect(held).toHaveLength(1);
  });

  test('the same amendment twice under one request id is one', async () => {
    for (const round of rounds) {
      const old = await staged(store);
      const args = replacement(old).arguments;
      const asked = () => replacement(old, { arguments: args, requestId: `twice-${round}` });
      const outcomes = await Promise.all([0, 1, 2, 3].map((index) => storeOf(index).amend(old, asked())));
      expect(outcomes.filter(({ kind }) => kind === 'amended')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'requested')).toHaveLength(3);
    }
  });

  test('of an amendment, a confirm and a rejection one wins', async () => {
    for (const round of rounds) {
      const old = await staged(store);
      const asked = replacement(old);
      const outcomes = await Promise.all([
        storeOf(round).amend(old, asked),
        storeOf(round + 1).claim(claimOf(old)),
        storeOf(round).apply(rejected(old)),
      ]);
      const [amendment, claim, rejection] = outcomes;
      const winners = [amendment.kind === 'amended', claim.kind === 'claimed', rejection !== undefined];
      expect(winners.filter((won) => won)).toHaveLength(1);
      const state = (await store.find('acme', old.id))?.action.state;
      expect(state).toBe(winners[0] ? 'SUPERSEDED' : winners[1] ? 'EXECUTING' : 'REJECTED');
      expect((await store.find('acme', asked.id)) !== undefined).toBe(winners[0]);
    }
  });

  test('two amendments that would take each other’s intents end, and no intent has two actions', async () => {
    for (const _ of rounds) {
      const [one, two] = [proposal(), proposal()];
      const [first, second] = [await staged(store, one), await staged(store, two)];
      const outcomes = await Promise.all([
        storeOf(0).amend(first, replacement(first, { intentHash: two.intentHash })),
        storeOf(1).amend(second, replacement(second, { intentHash: one.intentHash })),
      ]);
      for (const { kind } of outcomes) expect(['amended', 'held']).toContain(kind);
      const open = await database.query(
        `select intent_hash from action where intent_hash = any($1) and state = 'PENDING' group by 1 having count(*) > 1`,
        [[one.intentHash, two.intentHash]],
      );
      expect(open).toEqual([]);
    }
  });

  test('a stage and an amendment to the same wish are one action', async () => {
    for (const round of rounds) {
      const asked = proposal();
      const old = await staged(store);
      const [inserted, outcome] = await Promise.all([
        storeOf(round).insert({ ...asked, id: newId() }),
        storeOf(round + 1).amend(old, replacement(old, { arguments: asked.arguments })),
      ]);
      expect([inserted.kind, outcome.kind]).toSatisfy((kinds: string[]) =>
        ['inserted,held', 'held,amended'].includes(kinds.join()),
      );
      expect(await database.query('select from intent where intent_hash = $1', [asked.intentHash])).toHaveLength(1);
    }
  });
});
