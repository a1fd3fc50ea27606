import { readConfig } from '../config.ts';
import { startEmbedded } from '../store/embedded/embedded.ts';
import { migrate } from '../store/migrate.ts';
import { openStore, type Store } from '../store/open.ts';

/** Two: one for the change, one to spare. */
const poolSize = 2;

/**
 * Opens the database that `tether serve` would use with these settings, brings it up to this version, and closes it again. The
 * embedded one is shared with a server that runs, or started for as long as this takes. Rejects with what stands in the way.
 */
export async function withStore<T>(env: NodeJS.ProcessEnv, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfig(env);
  if (databaseUrl !== null) return await inDatabase(databaseUrl, work);
  const embedded = await startEmbedded({ dataDir });
  try {
    return await inDatabase(embedded.url, work);
  } finally {
    await embedded.stop();
  }
}

async function inDatabase<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  await migrate(url);
  const store = await openStore({ url, poolSize });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
