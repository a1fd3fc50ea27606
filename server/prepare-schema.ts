/** The schema of a database that is about to be used: brought up to date, or held against this version. */
import type { Logger } from 'pino';
import { installQueue } from './jobs/install-queue.ts';
import { queueIsCurrent } from './jobs/queue-state.ts';
import type { Migrate } from './settings.ts';
import { type Migrated, migrate } from './store/migrate.ts';
import { schemaState } from './store/schema-state.ts';

/** One database, as its two users see it; the same URL twice when there is one. */
export interface DatabasePlace {
  /** As whom the server runs. */
  readonly url: string;
  /** Who owns the tables. */
  readonly ownerUrl: string;
}

type SchemaLogger = Pick<Logger, 'info' | 'debug' | 'warn' | 'error'>;

/** The whole schema, the job queue's included, and the rights of the role that the server runs as. See {@link migrate}. */
export async function migrateAll({ url, ownerUrl }: DatabasePlace, log: SchemaLogger): Promise<Migrated> {
  return await migrate(ownerUrl, { appUrl: url, install: (owner) => installQueue(owner, log) });
}

/** What is missing of this version's schema, and what is there of a later one. Reads only. */
export async function schemaOf(url: string): Promise<{ missing: readonly string[]; newer: readonly string[] }> {
  const { pending, unknown } = await schemaState(url);
  const missing = (await queueIsCurrent(url)) ? pending : [...pending, 'the job queue'];
  return { missing, newer: unknown };
}

/**
 * Before a server starts: with `auto` the schema is brought up to date, with `off` one that is not is refused, with an Error that
 * says what to do. A newer one is used with a warning: the version before goes on while its successor takes over.
 */
export async function prepareSchema(place: DatabasePlace, way: Migrate, log: SchemaLogger): Promise<void> {
  if (way === 'auto') {
    const { applied, rights, newer } = await migrateAll(place, log);
    if (applied.length > 0) log.info({ applied }, 'the schema was brought up to date');
    if (rights.length > 0) log.info({ rights: rights.length }, "the rights of the server's role were set");
    warnOfNewer(newer, log);
    return;
  }
  const { missing, newer } = await schemaOf(place.url);
  warnOfNewer(newer, log);
  if (missing.length === 0) return;
  throw new Error(
    `its schema lacks ${missing.join(', ')}, and TETHER_MIGRATE is off: run "tether migrate" of this version first`,
  );
}

function warnOfNewer(newer: readonly string[], log: SchemaLogger): void {
  if (newer.length > 0) log.warn({ newer }, 'the schema is newer than this program; replace it soon');
}
