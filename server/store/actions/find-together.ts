import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { ActionId, Observed } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';
import { find } from './find.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

type Find = (tenantId: string, id: ActionId) => Promise<Observed | undefined>;
type Together = DataLoader<ActionId, Observed | undefined>;

/** Of one statement; more are asked for by several. */
const atMost = 100;

/** Tenants whose reads are collected; one that is forgotten begins anew, and what is under way goes on. */
const rememberAtMost = 10_000;

/**
 * The place of each is told, since an id may be asked for twice. The limit keeps the planner from making a join of it, whose plan
 * reads all of `action` when it was made while the tables were empty (DESIGN §7).
 */
const byIds: Statement = {
  name: 'action_by_ids',
  writes: false,
  text: `select found.*, wanted.place::int from unnest($1::uuid[]) with ordinality as wanted (id, place),
    lateral (select ${observedColumns} from action a where a.id = wanted.id and a.tenant_id = $2 limit 1) found`,
};

/**
 * Finds single actions, those of a tenant that are asked for in one turn of the event loop by one statement: what a read costs is the
 * way to the database and back more than the row. No statement crosses tenants (DESIGN §7), so what fails for one fails for no other.
 * Nothing is remembered: what is found was read after it was asked for.
 */
export function createFind(database: Database): Find {
  const tenants = new LRUCache<string, Together>({ max: rememberAtMost });
  function togetherOf(tenantId: string): Together {
    const known = tenants.get(tenantId);
    if (known !== undefined) return known;
    const made: Together = new DataLoader((ids) => findAll(database, tenantId, ids), {
      cache: false,
      maxBatchSize: atMost,
      // The library's own way ends a batch with the callback that began it, and each request comes by one of its own.
      batchScheduleFn: setImmediate,
    });
    tenants.set(tenantId, made);
    return made;
  }
  return (tenantId, id) => togetherOf(tenantId).load(id);
}

async function findAll(
  database: Database,
  tenantId: string,
  ids: readonly ActionId[],
): Promise<(Observed | undefined)[]> {
  const [first] = ids;
  if (first !== undefined && ids.length === 1) return [await find(database, tenantId, first)];
  const found = new Array<Observed | undefined>(ids.length).fill(undefined);
  for (const row of await database.run<ObservedRow & { place: number }>(byIds, [ids, tenantId]))
    found[row.place - 1] = observedOf(row);
  return found;
}
