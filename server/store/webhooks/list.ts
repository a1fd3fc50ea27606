import type { Delivery, DeliveryQuery } from '../../lifecycle/ports/webhooks.ts';
import type { Database, Statement } from '../database.ts';
import { type DeliveryRow, deliveryColumns, deliveryOf } from './row.ts';

const page: Statement = {
  writes: false,
  text: `select ${deliveryColumns} from webhook_delivery d
    where d.tenant_id = $1 and (cardinality($2::delivery_state[]) = 0 or d.state = any($2))
      and ($3::uuid is null
        or (d.created_at, d.id) < (select b.created_at, b.id from webhook_delivery b where b.id = $3 and b.tenant_id = $1))
    order by d.created_at desc, d.id desc limit $4`,
};

const again: Statement = {
  writes: true,
  text: `update webhook_delivery d set state = 'DUE', attempts = 0, next_at = now(), changed_at = now()
    where d.id = $1 and d.tenant_id = $2 and d.state = 'DEAD'
    returning ${deliveryColumns}`,
};

const old: Statement = {
  writes: true,
  text: `delete from webhook_delivery d where (d.id, d.tenant_id) in (
      select o.id, o.tenant_id from webhook_delivery o
      where o.state = 'DELIVERED' and o.changed_at < now() - $1::float8 * interval '1 millisecond'
        or o.state = 'DEAD' and o.changed_at < now() - $2::float8 * interval '1 millisecond'
      limit $3)
    returning d.id`,
};

/** See {@link Outbox.list}. */
export async function listDeliveries(
  database: Database,
  { tenantId, states, limit, after }: DeliveryQuery,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly more: boolean }> {
  const rows = await database.run<DeliveryRow>(page, [tenantId, states, after, limit + 1]);
  return { deliveries: rows.slice(0, limit).map(deliveryOf), more: rows.length > limit };
}

/** See {@link Outbox.redeliver}. */
export async function redeliver(database: Database, tenantId: string, id: string): Promise<Delivery | undefined> {
  const [row] = await database.run<DeliveryRow>(again, [id, tenantId]);
  return row && deliveryOf(row);
}

/** See {@link Outbox.prune}. */
export async function prune(
  database: Database,
  { deliveredMs, deadMs, limit }: { readonly deliveredMs: number; readonly deadMs: number; readonly limit: number },
): Promise<number> {
  return (await database.run(old, [deliveredMs, deadMs, limit])).length;
}
