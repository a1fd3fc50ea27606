import { chmod, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The keys of the first tenant, by role, and the tenant itself: as they stand in the file. */
export type FirstKeys = Readonly<Record<'tenant' | 'agent' | 'approver' | 'operator', string>>;

/** Makes the first tenant when there is none, and hands its keys out before it commits: only their hashes are kept. */
export interface FirstTenants {
  createFirstTenant(save: (keys: FirstKeys) => Promise<void>): Promise<FirstKeys | undefined>;
}

/**
 * On the first start: makes tenant `demo` with one key per role, and writes them to `keys.json` in the data directory, mode
 * 0600 (DESIGN §10). The file is there before the tenant is committed, so that a crash between them loses no key: the next
 * start finds no tenant and makes new ones. A file that is there already may be the only place of another database's keys: it is
 * moved aside. Null when there is a tenant already.
 */
export async function saveFirstKeys(
  tenants: FirstTenants,
  dataDir: string,
  makeFolder: (path: string) => Promise<void>,
): Promise<{ readonly file: string; readonly keys: FirstKeys } | null> {
  const file = join(dataDir, 'keys.json');
  let unwritable: unknown;
  const keep = (made: FirstKeys) =>
    makeFolder(dataDir)
      .then(() => write(file, made))
      .catch((error: unknown) => {
        unwritable = error;
        throw error;
      });
  const keys = await tenants.createFirstTenant(keep).catch((error: unknown) => {
    if (unwritable === undefined) throw error;
    throw new Error(`the first keys cannot be written to ${file}; TETHER_DATA_DIR must name a folder that can`, {
      cause: unwritable,
    });
  });
  return keys === undefined ? null : { file, keys };
}

async function write(file: string, keys: FirstKeys): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await moveAside(file);
  await rename(draft, file);
}

/** Nothing that was written before is lost: `keys.json` becomes `keys-until-<when it was written>.json`. */
async function moveAside(file: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before === undefined) return;
  const when = before.mtime.toISOString().replaceAll(/[:.]/g, '-');
  await rename(file, file.replace(/\.json$/, `-until-${when}.json`));
}
