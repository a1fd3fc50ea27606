import type { ActionStore } from '../lifecycle/ports/action-store.ts';
import type { AdminEventLog } from '../lifecycle/ports/admin-events.ts';
import type { Authenticator } from '../lifecycle/ports/authenticator.ts';
import type { EventLog } from '../lifecycle/ports/events.ts';
import type { Stops } from '../lifecycle/ports/stops.ts';
import type { PoolLoad, Survey } from '../lifecycle/ports/survey.ts';
import type { Outbox } from '../lifecycle/ports/webhooks.ts';
import { createActionStore } from './actions/store.ts';
import { type CredentialStore, createCredentialStore } from './credentials/store.ts';
import { createDatabase, type Statement } from './database.ts';
import { createEventLog } from './events/log.ts';
import { readAdminEvents } from './events/read-admin.ts';
import { createOrm, type OrmOptions } from './orm.ts';
import { createStops } from './stops/store.ts';
import { survey } from './survey.ts';
import { listTenants } from './tenants.ts';
import { createOutbox } from './webhooks/store.ts';

/** Everything that is kept, in one PostgreSQL database. */
export interface Store {
  readonly actions: ActionStore;
  readonly events: EventLog;
  readonly adminEvents: AdminEventLog;
  readonly credentials: Authenticator & CredentialStore;
  readonly stops: Stops;
  readonly outbox: Outbox;
  /** The ids of all tenants, for who runs the installation. */
  tenants(): Promise<readonly string[]>;
  survey(): Promise<Survey>;
  pool(): PoolLoad;
  /** Rejects with StoreUnavailable when the database does not answer. */
  ping(): Promise<void>;
  /** Waits for the statements that are running, then closes every connection. */
  close(): Promise<void>;
}

const select1: Statement = { name: 'ping', writes: false, text: 'select 1' };

/**
 * Opens the store over a database that is, or will be, migrated. Connects when it is first asked for something: while the database
 * is away the calls reject with StoreUnavailable, and it is found when it is there.
 */
export async function openStore(options: OrmOptions): Promise<Store> {
  const orm = createOrm(options);
  const pool = await orm.em.getConnection().getNativeClient();
  const database = createDatabase(pool);
  const events = createEventLog(database, options);
  return {
    actions: createActionStore(database, events.announce),
    events,
    adminEvents: { read: (query) => readAdminEvents(database, query) },
    credentials: createCredentialStore(orm, database),
    stops: createStops(database),
    outbox: createOutbox(database),
    tenants: () => listTenants(database),
    survey: () => survey(database),
    pool: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async ping() {
      await database.run(select1, []);
    },
    async close() {
      await events.close();
      await orm.close(true);
      // Kysely ends the pool only when statements went through it, and most of ours do not.
      if (!pool.ending) await pool.end();
    },
  };
}
