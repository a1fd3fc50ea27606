import DataLoader from 'dataloader';
import type { ActionId, Observed } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';
import { find } from './find.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

type Find = (tenantId: string, id: ActionId) => Promise<Observed | undefined>;

interface Wanted {
  readonly tenantId: string;
  readonly id: ActionId;
}

/** Of one statement; more are asked for by several. */
const atMost = 100;

/**
 * The place of each is told, since an id alone says nothing about whose it is. The limit keeps the planner from making a join of
 * it, whose plan reads all of `action` when it was made while the tables were empty (DESIGN §7).
 */
const byIds: Statement = {
  name: 'action_by_ids',
  writes: false,
  text: `select found.*, wanted.place::int from unnest($1::uuid[], $2::text[]) with ordinality as wanted (id, tenant_id, place),
    lateral (select ${observedColumns} from action a where a.id = wanted.id and a.tenant_id = wanted.tenant_id limit 1) found`,
};

/**
 * Finds single actions, those that are asked for in one turn of the event loop by one statement: what a read costs is the way to
 * the database and back more than the row. Nothing is remembered: what is found was read after it was asked for.
 */
export function createFind(database: Database): Find {
  const together = new DataLoader<Wanted, Observed | undefined>((wanted) => findAll(database, wanted), {
    cache: false,
    maxBatchSize: atMost,
    // The library's own way ends a batch with the callback that began it, and each request comes by one of its own.
    batchScheduleFn: setImmediate,
  });
  return (tenantId, id) => together.load({ tenantId, id });
}

async function findAll(database: Database, wanted: readonly Wanted[]): Promise<(Observed | undefined)[]> {
  const [first] = wanted;
  if (first !== undefined && wanted.length === 1) return [await find(database, first.tenantId, first.id)];
  const found = new Array<Observed | undefined>(wanted.length).fill(undefined);
  const values = [wanted.map(({ id }) => id), wanted.map(({ tenantId }) => tenantId)];
  for (const row of await database.run<ObservedRow & { place: number }>(byIds, values))
    found[row.place - 1] = observedOf(row);
  return found;
}
