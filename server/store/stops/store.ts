import type { Stops } from '../../lifecycle/ports/stops.ts';
import type { Database } from '../database.ts';
import { listStops } from './list.ts';
import { createRecentStops } from './recent.ts';
import { resume } from './resume.ts';
import { stop } from './stop.ts';

/** What is stopped, in PostgreSQL. Rejects with StoreUnavailable when the database is away. */
export function createStops(database: Database): Stops {
  return {
    recent: createRecentStops((tenantId) => listStops(database, tenantId)),
    list: (tenantId) => listStops(database, tenantId),
    stop: (tenantId, target, reason, by) => stop(database, tenantId, target, reason, by),
    resume: (tenantId, target, reason, by) => resume(database, tenantId, target, reason, by),
  };
}
