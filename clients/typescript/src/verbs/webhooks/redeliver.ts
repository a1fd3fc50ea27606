import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { deliveryOf, type WebhookDelivery } from '../../wire/webhook-delivery.ts';

export async function redeliver(
  connection: Connection,
  input: { readonly deliveryId: string },
  options?: CallOptions,
): Promise<WebhookDelivery> {
  const { deliveryId } = input;
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list_deliveries', description: 'List the messages and where they stand.' }],
      send: (rpc) => connection.webhooks.redeliver({ deliveryId }, rpc),
    },
    options,
  );
  return deliveryOf(answer);
}
