/**
 * The PostgreSQL that the server brings along, for when there is no DATABASE_URL.
 *
 * It lives in `<dataDir>/postgres`, keeps fsync on, and outlives a killed server, which finds it again. Several servers
 * may share one data directory: the first starts PostgreSQL, the others attach, each holds a share of a lock in it, and
 * the last to leave stops it; a server that dies gives its share back by dying. One that attached is an owner like the
 * one that started it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Attached, attach } from './attach.ts';
import { exists, usableBinaries } from './binaries.ts';
import { locate, placeIn } from './home.ts';
import { initialise } from './initialise.ts';
import { launch } from './launch.ts';
import { type Constraints, checkOwner, settleIn } from './privileges.ts';
import { supervise } from './supervise.ts';

/** How to start an embedded PostgreSQL. */
export interface EmbeddedOptions {
  /** Created when missing; the database lives in its folder `postgres`. */
  readonly dataDir: string;
  /** Default: silent. */
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** Settings of postgresql.conf by name, for a PostgreSQL that this call starts; one it attaches to keeps its own. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly constraints?: Constraints;
}

/** A running embedded PostgreSQL. */
export interface Embedded {
  /** Of the database `tether`, as the role that the server runs as; stays the same until `stop`. */
  readonly url: string;
  /** Of the same database, as the superuser: for migrations, whose tables are then the superuser's. */
  readonly ownerUrl: string;
  /** True when it ran already: a killed server left it, or another server shares it. */
  readonly reattached: boolean;
  /** Stops PostgreSQL (fast: sessions are ended, data are flushed) and waits for it, unless another server uses it. */
  stop(): Promise<void>;
}

/** How long another PostgreSQL on the same data may take to come up or to go. */
const patienceMs = 60_000;

/**
 * Finds or starts the embedded PostgreSQL of a data directory.
 *
 * @throws when it cannot run here or does not come up; the message says what to do.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const opened = await openDatabase(options);
  const { reattached } = opened;
  options.logger?.info(
    { port: opened.attached.port, postgres_pid: opened.attached.pid, reattached },
    'embedded PostgreSQL is up',
  );
  const supervised = supervise(opened.attached, () => openDatabase(options, opened.attached.port), options.logger);
  const { url, ownerUrl } = opened.attached;
  return { url, ownerUrl, reattached, stop: supervised.stop };
}

async function openDatabase(
  options: EmbeddedOptions,
  port?: number,
): Promise<{ attached: Attached; reattached: boolean }> {
  const place = await placeIn(options.dataDir);
  const settings = options.settings ?? {};
  const giveUpAt = performance.now() + patienceMs;
  let launched = false;
  let collisions = 0;
  while (performance.now() < giveUpAt) {
    let home = await locate(place);
    await checkOwner(home);
    if (await exists(home.data)) {
      const attached = await attach(home);
      if (attached !== undefined) return { attached, reattached: !launched };
    }
    launched = false;
    const settled = await settleIn(place, home, options.constraints ?? {});
    if (settled !== undefined) {
      home = settled.home;
      const bin = await usableBinaries(home, settled.identity);
      await initialise(home, settled.identity, bin, settings.fsync !== 'off');
      const outcome = await launch(home, settled.identity, bin, settings, port);
      launched = outcome === 'ready';
      if (outcome === 'port-taken' && (port !== undefined || ++collisions > 5)) {
        throw new Error(`the embedded PostgreSQL could not get port ${port ?? 'on 127.0.0.1, six times'}`);
      }
    }
    if (!launched) await delay(50);
  }
  throw new Error(
    `a PostgreSQL on ${place} is alive but cannot be reached from here; if it runs in another container, give each server ` +
      'its own TETHER_DATA_DIR, or set DATABASE_URL; otherwise end it',
  );
}
