import type { Delivery, WebhookPlace } from '../../lifecycle/ports/webhooks.ts';
import type { Database, Statement } from '../database.ts';
import { type DeliveryRow, deliveryColumns, deliveryOf } from './row.ts';

/** Over all tenants, and without a name, like the sweepers' statements. */
const finding: Statement = {
  writes: false,
  text: `select distinct tenant_id, webhook from webhook_delivery where next_at <= now()`,
};

/** Without a name, too: how much is due, and for whom, differs too much for one plan. */
const taking: Statement = {
  writes: true,
  text: `with due as (
      select id from webhook_delivery
      where next_at <= now() and webhook = $1 and tenant_id = $2 order by next_at limit $3
      for no key update skip locked
    )
    update webhook_delivery d
    set attempts = d.attempts + 1, next_at = now() + $4::float8 * interval '1 millisecond', changed_at = now()
    where d.id = any(array(select id from due)) and d.tenant_id = $2 and d.next_at <= now()
    returning ${deliveryColumns}`,
};

/** Only by whoever made the last attempt: an older one that comes back late decides nothing. */
const arriving: Statement = {
  name: 'webhook_delivered',
  writes: true,
  text: `update webhook_delivery set state = 'DELIVERED', next_at = null, fault = '', changed_at = now()
    where id = $1 and tenant_id = $2 and state = 'DUE'`,
};

const failing: Statement = {
  name: 'webhook_failed',
  writes: true,
  text: `update webhook_delivery
    set state = case when $5::float8 is null then 'DEAD' else 'DUE' end::delivery_state, fault = $4,
      next_at = now() + $5::float8 * interval '1 millisecond', changed_at = now()
    where id = $1 and tenant_id = $2 and state = 'DUE' and attempts = $3`,
};

/** See {@link Outbox.places}. */
export async function places(database: Database): Promise<WebhookPlace[]> {
  const rows = await database.run<{ readonly tenant_id: string; readonly webhook: string }>(finding, []);
  return rows.map(({ tenant_id: tenantId, webhook: name }) => ({ tenantId, name }));
}

/** See {@link Outbox.takeDue}. */
export async function takeDue(
  database: Database,
  { name, tenantId }: WebhookPlace,
  limit: number,
  againInMs: number,
): Promise<Delivery[]> {
  return (await database.run<DeliveryRow>(taking, [name, tenantId, limit, againInMs])).map(deliveryOf);
}

/** See {@link Outbox.delivered}. */
export async function delivered(database: Database, { id, tenantId }: Delivery): Promise<void> {
  await database.run(arriving, [id, tenantId]);
}

/** See {@link Outbox.failed}. */
export async function failed(
  database: Database,
  { id, tenantId, attempts }: Delivery,
  fault: string,
  againInMs: number | null,
): Promise<void> {
  await database.run(failing, [id, tenantId, attempts, fault, againInMs]);
}
