import { afterAll, afterEach } from 'vitest';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { expectCompleteTrails } from './trail.ts';

/** A database of the test file's own, and so many stores on it, as of so many servers. */
export interface OpenStores {
  readonly database: TestDatabase;
  /** The first one, whole. */
  readonly opened: Store;
  /** The actions of the first one. */
  readonly store: ActionStore;
  /** The actions of any; they take turns by index. */
  storeOf(index: number): ActionStore;
}

/** Awaited at the top of a test file. After each test the trails are complete; after all of them everything is gone. */
export async function openStores(servers: number, poolSize: number): Promise<OpenStores> {
  const database = await createDatabase();
  const stores = await Promise.all(
    Array.from({ length: servers }, () => openStore({ url: database.appUrl, poolSize })),
  );
  afterEach(() => expectCompleteTrails(database));
  afterAll(async () => {
    await Promise.all(stores.map((each) => each.close()));
    await database.drop();
  });
  const chosen = (index: number): Store => {
    const store = stores[index % stores.length];
    if (store === undefined) throw new RangeError('there is no store');
    return store;
  };
  return { database, opened: chosen(0), store: chosen(0).actions, storeOf: (index) => chosen(index).actions };
}
