import type { Actor } from '../../domain/action.ts';
import type { Stop, StopTarget } from '../../domain/stop.ts';
import type { Database, Statement } from '../database.ts';
import { everywhere } from '../effective.ts';
import { type StopRow, stopColumns, stopOf } from './row.ts';

const statement: Statement = {
  writes: true,
  text: `with s as (
      delete from stop where name = $3 and kind = $2 and tenant_id = $1
      returning *
    ), told as (
      insert into admin_event (tenant_id, type, subject, actor_credential, actor_user, detail)
      select tenant_id, 'RESUMED', name, $5, $6, json_build_object('kind', kind, 'name', name, 'reason', $4::text)::text from s
    )
    select ${stopColumns} from s`,
};

/** See {@link Stops.resume}. */
export async function resume(
  database: Database,
  tenantId: string,
  { kind, name }: StopTarget,
  reason: string,
  by: Actor,
): Promise<Stop | undefined> {
  const values = [tenantId, kind, name, reason, by.credentialId, by.userId];
  const [row] = await database.run<StopRow>(statement, values);
  if (row === undefined) return undefined;
  await everywhere();
  return stopOf(row);
}
