import { migrations } from './migrations/all.ts';
import { withSession } from './session.ts';
import { checkVersion } from './version.ts';

/** How a database's schema stands to the one of this version. */
export interface SchemaState {
  /** What was applied, in its order, and when. */
  readonly applied: readonly { readonly name: string; readonly at: Date }[];
  /** Migrations of this version that were not applied, in their order. */
  readonly pending: readonly string[];
  /** Applied, and nothing that this version knows: a later one made the schema what it is. */
  readonly unknown: readonly string[];
}

/**
 * Reads it, and changes nothing. Rejects with the driver's error when the database cannot be reached or may not be read, and with
 * an Error that says what to do when the server is too old.
 */
export async function schemaState(url: string): Promise<SchemaState> {
  return await withSession(url, 'tether-migrate', async (session) => {
    await checkVersion(session);
    const { rows: found } = await session.query<{ there: boolean }>(
      `select to_regclass('migration') is not null as there`,
    );
    if (found[0]?.there !== true) return stateOf([]);
    const { rows } = await session.query<{ name: string; at: Date }>(
      'select name, executed_at as at from migration order by id',
    );
    return stateOf(rows);
  });
}

function stateOf(applied: SchemaState['applied']): SchemaState {
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.map(({ name }) => name).filter((name) => !names.has(name));
  return { applied, pending, unknown: unknownOf(applied) };
}

/** Those that this version does not know. */
export function unknownOf(applied: readonly { readonly name: string }[]): string[] {
  const ours = new Set(migrations.map(({ name }) => name));
  return applied.map(({ name }) => name).filter((name) => !ours.has(name));
}
