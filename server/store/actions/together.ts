import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { ActionId } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';

/** Of one statement; more are asked for by several. */
const atMost = 100;

/** Tenants whose reads are collected; one that is forgotten begins anew, and what is under way goes on. */
const collectAtMost = 10_000;

/** That find actions of a tenant, `$2`, with equal columns. */
export interface Statements {
  /** The action with the id `$1`. */
  readonly one: Statement;
  /** Those with the ids in the list `$1`; each row tells its place in it, from 1, since an id may be asked for twice. */
  readonly many: Statement;
}

export type Read<Row> = (tenantId: string, id: ActionId) => Promise<Row | undefined>;

/**
 * Reads of a tenant that are asked for in one turn of the event loop by one statement: what a read costs is the way to the database
 * and back more than the row. No statement crosses tenants (DESIGN §7), so what fails for one fails for no other.
 */
export function together<Row extends object>(database: Database, { one, many }: Statements): Read<Row> {
  const tenants = new LRUCache<string, DataLoader<ActionId, Row | undefined>>({ max: collectAtMost });
  async function read(tenantId: string, ids: readonly ActionId[]): Promise<(Row | undefined)[]> {
    if (ids.length === 1) return [(await database.run<Row>(one, [ids[0], tenantId]))[0]];
    const found = new Array<Row | undefined>(ids.length).fill(undefined);
    for (const row of await database.run<Row & { readonly place: number }>(many, [ids, tenantId]))
      found[row.place - 1] = row;
    return found;
  }
  return (tenantId, id) => {
    const known = tenants.get(tenantId);
    if (known !== undefined) return known.load(id);
    const made = new DataLoader<ActionId, Row | undefined>((ids) => read(tenantId, ids), {
      cache: false,
      maxBatchSize: atMost,
      // The library's own way ends a batch with the callback that began it, and each request comes by one of its own.
      batchScheduleFn: setImmediate,
    });
    tenants.set(tenantId, made);
    return made.load(id);
  };
}
