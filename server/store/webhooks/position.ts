import type { Position } from '../../lifecycle/ports/events.ts';
import type { WebhookPlace } from '../../lifecycle/ports/webhooks.ts';
import type { Database, Statement } from '../database.ts';
import { end } from '../events/read.ts';

const known: Statement = {
  name: 'webhook_position',
  writes: false,
  text: `select transaction_id::text as transaction, seq::text as sequence from webhook_cursor
    where webhook = $1 and tenant_id = $2`,
};

const begin: Statement = {
  writes: true,
  text: `insert into webhook_cursor (webhook, tenant_id, transaction_id, seq) values ($1, $2, $3::xid8, $4::bigint)
    on conflict do nothing`,
};

/** See {@link Outbox.position}. Of several replicas that begin at once, all go on from where the first did. */
export async function position(database: Database, place: WebhookPlace): Promise<Position> {
  const before = await look(database, place);
  if (before !== undefined) return before;
  const { transaction, sequence } = await end(database);
  await database.run(begin, [place.name, place.tenantId, String(transaction), String(sequence)]);
  const now = await look(database, place);
  if (now === undefined) throw new Error(`the webhook ${place.name} has no position`);
  return now;
}

async function look(database: Database, { name, tenantId }: WebhookPlace): Promise<Position | undefined> {
  const [row] = await database.run<{ transaction: string; sequence: string }>(known, [name, tenantId]);
  return row && { transaction: BigInt(row.transaction), sequence: BigInt(row.sequence) };
}
