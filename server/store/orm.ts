import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from './entities/all.ts';
import { migrations } from './migrations/all.ts';

/** What the store has to say beside its answers: pino's loggers fit. */
export interface StoreLogger {
  warn(fields: object, message: string): void;
}

export interface OrmOptions {
  /** `postgres://user:password@host:port/database`, with any parameters that pg understands. */
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** Default: silent. */
  readonly logger?: StoreLogger;
}

/** How long a connection may take to come up (or to become free) before the database counts as away, milliseconds. */
const connectTimeoutMs = 5_000;

/** A connection is replaced after that, so that no plan that it made is kept for ever (DESIGN §7). */
const connectionLifeSeconds = 3_600;

/** MikroORM over PostgreSQL. Connects when it is first used, and again by itself after the database was away. */
export function createOrm({ url, poolSize, logger }: OrmOptions): MikroORM {
  return new MikroORM({
    // MikroORM takes the parts of a URL up to its parameters and leaves these unread: TLS would be among them. So it gets those
    // parts for itself, and the driver the whole.
    clientUrl: withoutParameters(url),
    entities,
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migration' },
    // graphile-worker keeps its own schema in the same database; functions are written by migrations alone.
    schemaGenerator: { ignoreSchema: ['graphile_worker'], ignoreRoutines: true },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      maxLifetimeSeconds: connectionLifeSeconds,
      application_name: 'tether',
      onPoolCreated: (pool: Pool) => {
        pool.on('error', ({ message }) => logger?.warn({ reason: message }, 'an idle database connection was lost'));
      },
    },
    logger: () => undefined,
  });
}

function withoutParameters(text: string): string {
  const url = new URL(text);
  url.search = '';
  return url.href;
}
