import type { Observed } from '../../domain/action.ts';
import type { Database, Statement } from '../database.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

// The only statements over all tenants, and the only ones that look for sweep_at. They have no name, so they are planned each
// time: a plan made while the table was small would be kept for as long as the connection lives.
const overdueActions: Statement = {
  writes: false,
  text: `select ${observedColumns} from action a
    where a.sweep_at <= now() and a.state = 'PENDING' order by a.sweep_at limit $1`,
};

const orphanedActions: Statement = {
  writes: false,
  text: `select ${observedColumns} from action a
    where a.sweep_at <= now() and a.state = 'EXECUTING' order by a.sweep_at limit $1`,
};

/** See {@link ActionStore.overdue}. */
export async function overdue(database: Database, limit: number): Promise<Observed[]> {
  return (await database.run<ObservedRow>(overdueActions, [limit])).map(observedOf);
}

/** See {@link ActionStore.orphaned}. */
export async function orphaned(database: Database, limit: number): Promise<Observed[]> {
  return (await database.run<ObservedRow>(orphanedActions, [limit])).map(observedOf);
}
