import type { Observed } from '../../domain/action.ts';
import type { WebhookScopes } from '../../lifecycle/ports/webhooks.ts';
import { type ObservedRow, observedColumns, observedOf } from '../actions/observed.ts';
import type { Database, Statement } from '../database.ts';

/** `sweep_at` is the expiry of what is PENDING. Without a name, as all statements that look for it. */
const statement: Statement = {
  writes: false,
  text: `select ${observedColumns} from action a
    where a.sweep_at > now() and a.sweep_at <= now() + $3::float8 * interval '1 millisecond'
      and a.state = 'PENDING' and a.tenant_id = $2 and ($5::text[] is null or a.scope = any($5))
      and not exists (
        select from webhook_delivery d
        where d.action_id = a.id and d.version = a.version and d.topic = 'expiring_soon' and d.webhook = $1
          and d.tenant_id = $2)
    order by a.sweep_at limit $4`,
};

/** See {@link Outbox.expiring}. */
export async function expiring(
  database: Database,
  { name, tenantId, scopes }: WebhookScopes,
  withinMs: number,
  limit: number,
): Promise<Observed[]> {
  return (await database.run<ObservedRow>(statement, [name, tenantId, withinMs, limit, scopes])).map(observedOf);
}
