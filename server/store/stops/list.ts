import type { Stop } from '../../domain/stop.ts';
import type { Database, Statement } from '../database.ts';
import { type StopRow, stopColumns, stopOf } from './row.ts';

/** No index serves it: there are never many stops. */
const statement: Statement = {
  name: 'stop_list',
  writes: false,
  text: `select ${stopColumns} from stop s where s.tenant_id = $1 order by s.at desc, s.kind, s.name`,
};

/** See {@link Stops.list}. */
export async function listStops(database: Database, tenantId: string): Promise<readonly Stop[]> {
  return (await database.run<StopRow>(statement, [tenantId])).map(stopOf);
}
