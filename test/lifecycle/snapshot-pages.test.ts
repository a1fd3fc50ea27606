import { expect, onTestFinished, test } from 'vitest';
import type { Observed } from '../../server/domain/action.ts';
import type { ListQuery, Page } from '../../server/lifecycle/ports/action-store.ts';
import { createSnapshotPages } from '../../server/lifecycle/snapshot-pages.ts';
import { openHouse } from '../support/house.ts';
import { wholeLifeTools } from '../support/whole-life-tools.ts';

const query = (tenantId: string): ListQuery => ({
  tenantId,
  filter: {},
  scopes: null,
  proposedByCredential: null,
  limit: 100,
  after: null,
});

/** A store whose reads end when the test says so. */
function heldStore() {
  const reads: { readonly query: ListQuery; end(page?: Page): void; fail(error: Error): void }[] = [];
  let under = 0;
  let most = 0;
  const list = (asked: ListQuery) => {
    under += 1;
    most = Math.max(most, under);
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    const end = (page: Page = { items: [], more: false }) => resolve(page);
    reads.push({ query: asked, end, fail: reject });
    return promise.finally(() => {
      under -= 1;
    });
  };
  return { store: { list }, reads, most: () => most };
}

const never = { delay: () => new Promise<void>(() => undefined) };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('two pages are read at a time, and who comes later waits in line', async () => {
  const { store, reads, most } = heldStore();
  const pages = createSnapshotPages(store, never);
  const read = ['a', 'b', 'c', 'd', 'e'].map((tenant) => pages.read(query(tenant), pages.now()));
  for (let ended = 0; ended < read.length; ended++) {
    await turn();
    reads[ended]?.end();
  }
  await Promise.all(read);
  expect(reads.map((each) => each.query.tenantId)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(most()).toBe(2);
});

test('many who began before a page was read share it; who began later has it read anew', async () => {
  const { store, reads } = heldStore();
  const pages = createSnapshotPages(store, never);
  const early = Array.from({ length: 50 }, () => pages.now());
  const read = early.map((since) => pages.read(query('a'), since));
  const late = pages.read(query('a'), pages.now());
  await turn();
  expect(reads).toHaveLength(2);
  for (const each of reads) each.end();
  await Promise.all([...read, late]);
  // One of the early ones comes to it only now.
  await pages.read(query('a'), early[0] ?? 0);
  expect(reads).toHaveLength(2);
});

test('a read that fails fails for who waited for it, and is made again for the next; its place in line is free', async () => {
  const { store, reads } = heldStore();
  const pages = createSnapshotPages(store, never);
  const since = pages.now();
  const both = [pages.read(query('a'), since), pages.read(query('a'), since)];
  reads[0]?.fail(new Error('away'));
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  for (let times = 1; times <= 5; times++) {
    const again = pages.read(query('a'), pages.now());
    await turn();
    reads[times]?.end();
    await again;
  }
  expect(reads).toHaveLength(6);
});

test('pages that are very large are not kept, and others only for a while', async () => {
  const { store, reads } = heldStore();
  const passed = Promise.withResolvers<void>();
  const pages = createSnapshotPages(store, { delay: () => passed.promise });
  const since = pages.now();
  const read = async (tenant: string, argumentsOf: string) => {
    const count = reads.length;
    const page = pages.read(query(tenant), since);
    await turn();
    // Only what is weighed matters here.
    const items = [{ action: { arguments: argumentsOf, attempts: [] } }] as unknown as Observed[];
    reads[count]?.end({ items, more: false });
    await page;
    await turn();
  };
  await read('large', 'x'.repeat(16_000_001));
  await read('large', 'x'.repeat(16_000_001));
  expect(reads).toHaveLength(2);
  await read('small', 'x');
  await read('small', 'x');
  expect(reads).toHaveLength(3);
  passed.resolve();
  await turn();
  await read('small', 'x');
  expect(reads).toHaveLength(4);
});

test('a watcher who begins after a change sees it, whatever others were told before', async () => {
  const house = await openHouse({}, wholeLifeTools);
  onTestFinished(() => house[Symbol.asyncDispose]());
  const seen = async () => {
    const gone = new AbortController();
    const ids: string[] = [];
    for await (const update of house.lifecycle.watch(
      house.principal('approver'),
      { filter: {}, cursor: '' },
      gone.signal,
    )) {
      if (update.kind !== 'snapshot') break;
      ids.push(`${update.action.id} ${update.action.state}`);
    }
    gone.abort();
    return ids;
  };
  const { action } = await house.stage({ text: 'one' }, { tool: 'note' });
  expect(await seen()).toEqual([`${action.id} PENDING`]);
  await house.confirm(action.id);
  const later = await house.stage({ text: 'two' }, { tool: 'note' });
  expect(await seen()).toEqual([`${later.action.id} PENDING`, `${action.id} SUCCEEDED`]);
});
