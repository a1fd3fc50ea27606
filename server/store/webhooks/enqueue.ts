import { randomUUID } from 'node:crypto';
import type { Position } from '../../lifecycle/ports/events.ts';
import type { Message, WebhookPlace } from '../../lifecycle/ports/webhooks.ts';
import type { Database, Statement } from '../database.ts';

/** Messages as five lists of equal length, from the parameter of that number on. */
function keeping(first: number, from: string): string {
  const [ids, actions, versions, topics, bodies] = [0, 1, 2, 3, 4].map((each) => `$${first + each}`);
  return `insert into webhook_delivery (id, tenant_id, webhook, topic, action_id, version, body, state, attempts, next_at, fault)
      select m.id, $2, $1, m.topic, m.action_id, m.version, m.body, 'DUE', 0, now(), ''
      from ${from} unnest(${ids}::uuid[], ${actions}::uuid[], ${versions}::int[], ${topics}::webhook_topic[], ${bodies}::text[])
        as m (id, action_id, version, topic, body)
      on conflict on constraint webhook_delivery_message_unique do nothing`;
}

const moving: Statement = {
  writes: true,
  text: `with moved as (
      update webhook_cursor set transaction_id = $5::xid8, seq = $6::bigint
      where webhook = $1 and tenant_id = $2 and transaction_id = $3::xid8 and seq = $4::bigint
      returning 1
    ), kept as (
      ${keeping(7, 'moved,')}
    )
    select from moved`,
};

const beside: Statement = { writes: true, text: keeping(3, '') };

/** See {@link Outbox.enqueue}. */
export async function enqueue(
  database: Database,
  { name, tenantId }: WebhookPlace,
  from: Position,
  to: Position,
  messages: readonly Message[],
): Promise<boolean> {
  const positions = [from, to].flatMap(({ transaction, sequence }) => [String(transaction), String(sequence)]);
  return (await database.run(moving, [name, tenantId, ...positions, ...listsOf(messages)])).length > 0;
}

/** See {@link Outbox.add}. */
export async function add(
  database: Database,
  { name, tenantId }: WebhookPlace,
  messages: readonly Message[],
): Promise<void> {
  await database.run(beside, [name, tenantId, ...listsOf(messages)]);
}

function listsOf(messages: readonly Message[]): unknown[] {
  return [
    messages.map(() => randomUUID()),
    messages.map(({ actionId }) => actionId),
    messages.map(({ version }) => version),
    messages.map(({ topic }) => topic),
    messages.map(({ body }) => body),
  ];
}
