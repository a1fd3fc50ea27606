import { WebhookDeliveryState as WireState } from '@tether/proto/clients/tether/v1/webhook_delivery_pb.ts';
import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import type { Page, PageInput } from '../../pages.ts';
import type { Meant, WebhookDeliveryState } from '../../wire/enums.ts';
import { deliveryOf, type WebhookDelivery } from '../../wire/webhook-delivery.ts';

export interface ListDeliveriesInput extends PageInput {
  /** Only in these states; in all when it is empty or not there. */
  readonly states?: readonly Meant<WebhookDeliveryState>[];
}

export interface DeliveryPage extends Page {
  /** Newest first. */
  readonly deliveries: readonly WebhookDelivery[];
}

export async function listDeliveries(
  connection: Connection,
  { states = [], pageSize, cursor }: ListDeliveriesInput,
  options?: CallOptions,
): Promise<DeliveryPage> {
  const request = { states: states.map((state) => WireState[state]), pageSize, cursor };
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.webhooks.listDeliveries(request, rpc) },
    options,
  );
  const nextCursor = answer.nextCursor || undefined;
  const deliveries = answer.deliveries.map((delivery) => deliveryOf({ delivery }));
  return { deliveries, nextCursor, hasMore: nextCursor !== undefined };
}
