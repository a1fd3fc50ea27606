/** The wiring: the only place that knows every room of the house. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCatalog } from './catalog/create-catalog.ts';
import type { Config } from './config.ts';
import { createAuthorizer } from './dispatch/authorizer.ts';
import { createDispatcher } from './dispatch/dispatcher.ts';
import { createDoors } from './doors/create-doors.ts';
import { saveFirstKeys } from './first-keys.ts';
import { createIds } from './ids.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { createLifecycle } from './lifecycle/create-lifecycle.ts';
import { createCredentialVerbs } from './lifecycle/credentials/credential-verbs.ts';
import type { Clock } from './lifecycle/ports/process.ts';
import { createStopVerbs } from './lifecycle/stops/stop-verbs.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrate.ts';
import { openStore } from './store/open.ts';

/** A running server. */
export interface App {
  /** `host:port` of the gRPC door. */
  readonly grpcAddress: string;
  /** Base URL of the HTTP door. */
  readonly httpUrl: string;
  /** Where the keys of the first tenant were written, if this start made it. */
  readonly firstKeys: { readonly file: string; readonly keys: Readonly<Record<string, string>> } | null;
  /** Reads the catalog again; with any problem it stays as it was, and the log says why. */
  reloadCatalog(): Promise<void>;
  /** Stops accepting, lets dispatches and their settlements finish, closes everything. */
  close(): Promise<void>;
}

const clock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  delay: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Starts everything in order, and takes back what was started when a later step fails. Rejects with a reason. */
export async function startApp(config: Config, env: NodeJS.ProcessEnv, log: Logger): Promise<App> {
  const closers: (() => Promise<unknown>)[] = [];
  let endAt = 0;
  /** What is left of the drain's time, which all parts share. */
  const drainLeftMs = () => Math.max(0, endAt - clock.monotonic());
  const closeAll = async () => {
    endAt = clock.monotonic() + config.drainMs;
    for (const close of closers.reverse())
      await close().catch((error) => log.error({ err: error }, 'a part did not close cleanly'));
  };
  const opened = <T extends { close(): Promise<unknown> }>(part: T): T => {
    closers.push(() => part.close());
    return part;
  };
  try {
    const catalog = opened(await createCatalog({ path: config.catalog, env, logger: log }));
    const databaseUrl = config.databaseUrl ?? (await embedded(config, log, closers));
    await migrate(databaseUrl).catch(databaseUnusable(config));
    const store = opened(
      await openStore({ url: databaseUrl, poolSize: config.databasePool, logger: log }).catch(databaseUnusable(config)),
    );
    const firstKeys = await saveFirstKeys(store.credentials, config.dataDir);
    const dispatcher = opened(createDispatcher({ endpoints: catalog.endpoint, log }));
    const authorizer = opened(createAuthorizer({ settings: catalog.authorizer, log }));
    const lifecycle = createLifecycle({
      store: store.actions,
      events: store.events,
      stops: store.stops,
      catalog,
      dispatcher,
      authorizer,
      clock,
      ids: createIds(clock.wall),
      log,
      retention: config.retention,
    });
    closers.push(() => lifecycle.drain(drainLeftMs()));
    const jobs = await startJobs({
      databaseUrl,
      tasks: {
        expire_actions: lifecycle.sweeps.expire,
        settle_orphans: lifecycle.sweeps.orphans,
        probe_doubts: lifecycle.sweeps.probes,
        verify_successes: lifecycle.sweeps.verifications,
        delete_expired_records: lifecycle.sweeps.retention,
      },
      paces: { probe_doubts: 1, delete_expired_records: 3_600 },
      logger: log,
    });
    closers.push(() => jobs.stop());
    const doors = await createDoors({
      lifecycle,
      credentials: createCredentialVerbs(store.credentials),
      stops: createStopVerbs(store.stops, catalog),
      authenticator: store.credentials,
      logger: log,
      host: config.host,
      grpcPort: config.grpcPort,
      httpPort: config.httpPort,
      corsOrigins: config.corsOrigins,
    });
    closers.push(() => doors.close(drainLeftMs()));
    const reloadCatalog = async () => {
      await catalog.reload();
    };
    return { grpcAddress: doors.grpcAddress, httpUrl: doors.httpAddress, firstKeys, reloadCatalog, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What the driver says is for the operator alone, and is told with the setting that it is about. */
function databaseUnusable({ databaseUrl, dataDir }: Config): (error: unknown) => never {
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      databaseUrl === null
        ? `the embedded PostgreSQL in TETHER_DATA_DIR (${dataDir}) cannot be used: ${reason}`
        : `the database that DATABASE_URL names cannot be used: ${reason}. Check its host, port, user, password and database, and that the user may create tables there`;
    throw new Error(hint, { cause: error });
  };
}

async function embedded(config: Config, log: Logger, closers: (() => Promise<unknown>)[]): Promise<string> {
  const database = await startEmbedded({ dataDir: config.dataDir, logger: log }).catch(databaseUnusable(config));
  closers.push(() => database.stop());
  return database.url;
}
