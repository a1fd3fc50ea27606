import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { type DatabasePlace, prepareSchema, schemaOf } from '../prepare-schema.ts';
import { exists } from '../store/embedded/binaries.ts';
import { startEmbedded } from '../store/embedded/embedded.ts';
import { locate } from '../store/embedded/home.ts';
import { openStore, type Store } from '../store/open.ts';
import { Refused } from './told.ts';

/** Two: one for the change, one to spare. */
const poolSize = 2;

/** What is done about an embedded database that there is not. */
export interface Missing {
  /** Makes one, instead of refusing: for who begins, not for who looks for what there is. */
  readonly orNew?: boolean;
}

/**
 * Opens the database that `tether serve` would use with these settings, brings it up to this version (or refuses it, with
 * TETHER_MIGRATE off), and closes it again. The embedded one is shared with a server that runs, or started for as long as this
 * takes. Rejects with what stands in the way.
 */
export async function withStore<T>(
  env: NodeJS.ProcessEnv,
  work: (store: Store) => Promise<T>,
  missing: Missing = {},
): Promise<T> {
  const config = readConfig(env);
  const prepared = async (place: DatabasePlace): Promise<T> => {
    await prepareSchema(place, config.migrate, pino({ enabled: false }));
    return await withOpened(place, work);
  };
  return await withDatabase(config, prepared, missing);
}

/** The same for what only reads: a schema that is not this version's is refused, and left alone. */
export async function withStoreAsItIs<T>(env: NodeJS.ProcessEnv, work: (store: Store) => Promise<T>): Promise<T> {
  return await withDatabase(readConfig(env), async (place) => {
    const { missing } = await schemaOf(place.url);
    if (missing.length > 0)
      throw new Refused(`The schema lacks ${missing.join(', ')}: run "tether migrate", or start the server once.`);
    return await withOpened(place, work);
  });
}

async function withOpened<T>({ url }: DatabasePlace, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ url, poolSize });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Finds the database of these settings, whatever its schema, and lets go of it again. */
export async function withDatabase<T>(
  config: Config,
  work: (place: DatabasePlace) => Promise<T>,
  { orNew = false }: Missing = {},
): Promise<T> {
  const { databaseUrl, ownerDatabaseUrl, dataDir } = config;
  if (databaseUrl !== null) return await work({ url: databaseUrl, ownerUrl: ownerDatabaseUrl ?? databaseUrl });
  if (!orNew && !(await hasEmbedded(config)))
    throw new Refused(
      `There is no database in ${dataDir}: say with DATABASE_URL or TETHER_DATA_DIR which one the servers use. Nothing was done.`,
    );
  const embedded = await startEmbedded({ dataDir });
  try {
    return await work(embedded);
  } finally {
    await embedded.stop();
  }
}

/** Whether an embedded database was made here, running or not. */
export async function hasEmbedded({ dataDir }: Pick<Config, 'dataDir'>): Promise<boolean> {
  return await exists((await locate(join(dataDir, 'postgres'))).data);
}
