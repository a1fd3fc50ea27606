import type { PoolClient } from 'pg';
import { OwnerUnusable } from '../lifecycle/ports/owner-unusable.ts';
import { alone } from './migration-lock.ts';
import { createOrm } from './orm.ts';
import { openAppSession } from './roles/app-session.ts';
import { grantRights } from './roles/grant-rights.ts';
import { unknownOf } from './schema-state.ts';
import { checkVersion } from './version.ts';

export interface MigrateOptions {
  /** As whom the server runs, when that is another role than the owner: it is granted what it needs. */
  readonly appUrl?: string;
  /** Makes what others keep in the same database, as its owner: the job queue. */
  readonly install?: (ownerUrl: string) => Promise<void>;
}

/** What a migration did. */
export interface Migrated {
  /** The migrations that were applied, in their order; none when the schema was current. */
  readonly applied: readonly string[];
  /** What was applied by a later version than this. */
  readonly newer: readonly string[];
  /** The role that the server runs as, when it is another one than the owner. */
  readonly appRole: string | null;
  /** What that role was granted, or what was taken from it, as SQL; nothing when all was as it should be. */
  readonly rights: readonly string[];
}

/**
 * Brings a database up to the schema of this version, as the role that owns the tables. Safe when several do it at once: they take
 * turns, and who comes later finds nothing to do. A schema that is newer already is left as it is.
 *
 * Rejects with the driver's error when the database cannot be reached or a migration fails (each one whole or not at all), or with
 * an {@link OwnerUnusable} of it when that is the owner's, who has another address than the server; and with an Error that says what
 * to do when the server is too old or the two roles do not fit each other.
 */
export async function migrate(
  ownerUrl: string,
  { appUrl = ownerUrl, install }: MigrateOptions = {},
): Promise<Migrated> {
  const parted = appUrl !== ownerUrl;
  let asOwner = true;
  try {
    return await alone(ownerUrl, async (session) => {
      await checkVersion(session);
      asOwner = false;
      const app = parted ? await openAppSession(appUrl, session) : undefined;
      asOwner = true;
      try {
        const changed = await applyPending(ownerUrl);
        await install?.(ownerUrl);
        if (app === undefined) return { ...changed, appRole: null, rights: [] };
        const rights = await grantRights(session, app.role);
        asOwner = false;
        await app.check();
        return { ...changed, appRole: app.role, rights };
      } finally {
        await app?.end();
      }
    });
  } catch (error) {
    throw parted && asOwner ? new OwnerUnusable(error) : error;
  }
}

async function applyPending(ownerUrl: string): Promise<Pick<Migrated, 'applied' | 'newer'>> {
  const orm = createOrm({ url: ownerUrl, poolSize: 1 });
  const pool = await orm.em.getConnection().getNativeClient();
  const held = new Set<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  try {
    const applied = (await orm.migrator.up()).map(({ name }) => name);
    return { applied, newer: unknownOf(await orm.migrator.getExecuted()) };
  } finally {
    // MikroORM never lets go of a connection that breaks in its commit, and whoever closes the pool waits for it for ever.
    for (const client of held) client.release(true);
    await orm.close(true);
  }
}
