/** The wiring: the only place that knows every room of the house. */
import { createCatalog } from './catalog/create-catalog.ts';
import type { Config } from './config.ts';
import { createAuthorizer } from './dispatch/authorizer.ts';
import { createDispatcher } from './dispatch/dispatcher.ts';
import { createMessenger } from './dispatch/messenger.ts';
import { createDoors } from './doors/create-doors.ts';
import { type FirstKeys, saveFirstKeys } from './first-keys.ts';
import { createIds } from './ids.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { tasksOf } from './jobs/tasks.ts';
import { createAuditVerbs } from './lifecycle/audit/audit-verbs.ts';
import { createLifecycle } from './lifecycle/create-lifecycle.ts';
import { createCredentialVerbs } from './lifecycle/credentials/credential-verbs.ts';
import { createStopVerbs } from './lifecycle/stops/stop-verbs.ts';
import { createWebhooks } from './lifecycle/webhooks/create-webhooks.ts';
import { type DatabasePlace, prepareSchema } from './prepare-schema.ts';
import { clock } from './process/clock.ts';
import { databaseUnusable } from './process/database-unusable.ts';
import { createParts, type Parts } from './process/parts.ts';
import { createReadiness } from './process/readiness.ts';
import { startInBackground } from './process/starting.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { makeFolder } from './store/embedded/make-folder.ts';
import { openStore } from './store/open.ts';
import { passingTrouble } from './store/passing-trouble.ts';
import { createTelemetry, type OwnTelemetry, type TelemetryOptions } from './telemetry/create-telemetry.ts';
import { byForm } from './tokens/by-form.ts';
import { createTokenAuthenticator } from './tokens/create-token-authenticator.ts';

/** A server whose doors are open. */
export interface App {
  /** `host:port` of the gRPC door. */
  readonly grpcAddress: string;
  /** Base URL of the HTTP door. */
  readonly httpUrl: string;
  /**
   * Resolves when the database is prepared and calls are answered. Waits while the database is away, rejects with the reason when
   * waiting does not help, and never settles when it is closed before.
   */
  readonly ready: Promise<Ready>;
  /** Reads the catalog and the certificates again; what has a problem stays as it was, and the log says why. */
  reload(): Promise<void>;
  /**
   * Says that it is not ready, goes on serving for a while so that load balancers notice (`hurry` ends that), then stops accepting,
   * lets dispatches and their settlements finish, closes everything. Never rejects.
   */
  close(hurry?: AbortSignal): Promise<void>;
}

export interface Ready {
  /** Where the keys of the first tenant were written, if this start made it. */
  readonly firstKeys: { readonly file: string; readonly keys: FirstKeys } | null;
}

/** Opens the doors; takes back what was started when that fails, and rejects with the reason. */
export async function startApp(config: Config, env: NodeJS.ProcessEnv): Promise<App> {
  const telemetry = createTelemetry({ level: config.logLevel, openTracer: await tracerOf(config) });
  const parts = createParts(config.drainMs, clock, telemetry.log);
  parts.add(telemetry);
  try {
    return await open(parts, config, env, telemetry);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Everything in order. Until what needs the database is done too, calls are refused, with nothing left behind. */
async function open(parts: Parts, config: Config, env: NodeJS.ProcessEnv, telemetry: OwnTelemetry): Promise<App> {
  const { log } = telemetry;
  const catalog = parts.add(await createCatalog({ path: config.catalog, env, logger: log }));
  const place = placeOf(config) ?? (await embedded(parts, config, telemetry));
  const databaseUrl = place.url;
  const store = parts.add(await openStore({ url: databaseUrl, poolSize: config.databasePool, logger: log }));
  const readiness = parts.add(createReadiness({ ping: store.ping, catalogIsCurrent: catalog.isCurrent, log }));
  const tokens = parts.add(createTokenAuthenticator({ identity: catalog.identity, tenants: store.credentials, log }));
  const dispatcher = createDispatcher({ endpoints: catalog.endpoint, log, telemetry });
  const authorizer = createAuthorizer({ settings: catalog.authorizer, log, telemetry });
  const lifecycle = createLifecycle({
    store: telemetry.watchActions(store.actions),
    events: store.events,
    stops: store.stops,
    catalog,
    dispatcher,
    authorizer,
    clock,
    ids: createIds(clock.wall),
    log,
    telemetry,
    retention: config.retention,
  });
  parts.onClose(async () => {
    await lifecycle.drain(parts.leftMs());
    // What no endpoint has answered by then is cut off, and recorded as that.
    await Promise.all([dispatcher.close(), authorizer.close()]);
    await lifecycle.ended(lastRecordsMs);
  });
  const webhooks = createWebhooks({
    store: store.actions,
    events: store.events,
    outbox: store.outbox,
    webhooks: catalog,
    messenger: parts.add(createMessenger({ settings: catalog.webhook, log, telemetry })),
    clock,
    log,
    deadMs: config.retention.actionsMs,
  });
  const jobs = { databaseUrl, ...tasksOf(lifecycle.sweeps, webhooks), logger: log, telemetry };
  telemetry.observe({ readiness, pool: store.pool, endpoints: dispatcher.load, survey: store.survey });
  const doors = await createDoors({
    lifecycle,
    credentials: createCredentialVerbs(store.credentials),
    stops: createStopVerbs(store.stops, catalog),
    audit: createAuditVerbs(store.adminEvents),
    webhooks: webhooks.verbs,
    authenticator: byForm({ keys: store.credentials, tokens }),
    readiness,
    telemetry,
    metrics: { text: telemetry.metricsText, token: config.metricsToken },
    logger: log,
    host: config.host,
    grpcPort: config.grpcPort,
    httpPort: config.httpPort,
    tls: config.tls,
    corsOrigins: config.corsOrigins,
    limits: config.limits,
  });
  const starting = startInBackground({ clock, log, passing: passingTrouble }, async (patience) => {
    await patience.until(() => prepareSchema(place, config.migrate, log));
    const firstKeys = await patience.until(() => saveFirstKeys(store.credentials, config.dataDir, makeFolder));
    const running = await patience.until(() => startJobs(jobs));
    readiness.prepared();
    return { firstKeys, jobs: running };
  });
  parts.onClose(async () => {
    readiness.drain();
    const background = starting.stop().then((started) => started?.jobs.stop(parts.leftMs()));
    await Promise.all([doors.close(parts.leftMs()), background]);
  });
  log.info({ http: doors.httpAddress, grpc: doors.grpcAddress }, 'the doors are open');
  return {
    grpcAddress: doors.grpcAddress,
    httpUrl: doors.httpAddress,
    ready: starting.done.catch(databaseUnusable(config)),
    reload: async () => void (await Promise.all([catalog.reload(), doors.renewCertificates()])),
    async close(hurry = never) {
      log.info('stopping');
      const served = readiness.standing().status === 'ready';
      readiness.drain();
      if (served) await clock.delay(config.drainDelayMs, hurry);
      await parts.close();
    },
  };
}

/** Undefined: nothing is recorded, and nothing of the SDK is loaded. */
async function tracerOf({ traces }: Config): Promise<TelemetryOptions['openTracer']> {
  if (traces === null) return undefined;
  const { createExportingTracer } = await import('./telemetry/traces/exporting.ts');
  return (log) => createExportingTracer(traces, log);
}

/** How long the record may take of what was cut off, milliseconds. */
const lastRecordsMs = 1_000;

const never = new AbortController().signal;

/** An external database; undefined for the embedded one. */
function placeOf({ databaseUrl, ownerDatabaseUrl }: Config): DatabasePlace | undefined {
  return databaseUrl === null ? undefined : { url: databaseUrl, ownerUrl: ownerDatabaseUrl ?? databaseUrl };
}

async function embedded(parts: Parts, config: Config, { log }: OwnTelemetry): Promise<DatabasePlace> {
  const database = await startEmbedded({ dataDir: config.dataDir, logger: log }).catch(databaseUnusable(config));
  parts.onClose(() => database.stop());
  return database;
}
