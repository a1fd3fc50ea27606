import type { Actor } from '../../domain/action.ts';
import type { Stop, StopTarget } from '../../domain/stop.ts';
import type { Database, Statement } from '../database.ts';
import { everywhere } from '../effective.ts';
import { listStops } from './list.ts';
import { type StopRow, stopColumns, stopOf } from './row.ts';

const statement: Statement = {
  writes: true,
  text: `with s as (
      insert into stop (tenant_id, kind, name, reason, by_credential, by_user) values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing
      returning *
    ), told as (
      insert into admin_event (tenant_id, type, subject, actor_credential, actor_user, detail)
      select tenant_id, 'STOPPED', name, by_credential, by_user, json_build_object('kind', kind, 'name', name,
        'reason', reason)::text from s
    )
    select ${stopColumns} from s`,
};

/** Each lost race means that somebody else stopped or resumed it meanwhile; this many in a row mean that something is wrong. */
const tries = 20;

/** See {@link Stops.stop}. Again is the same, and waits again: the answer to the first may have been lost. */
export async function stop(
  database: Database,
  tenantId: string,
  { kind, name }: StopTarget,
  reason: string,
  by: Actor,
): Promise<Stop> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const [row] = await database.run<StopRow>(statement, [tenantId, kind, name, reason, by.credentialId, by.userId]);
    const standing = row
      ? stopOf(row)
      : (await listStops(database, tenantId)).find((each) => each.kind === kind && each.name === name);
    if (standing === undefined) continue;
    await everywhere();
    return standing;
  }
  throw new Error(`stopping ${kind} ${name} lost ${tries} races in a row`);
}
