import type { WebhookDelivery as WireDelivery } from '@tether/proto/clients/tether/v1/webhook_delivery_pb.ts';
import { type WebhookDeliveryState, type WebhookTopic, webhookDeliveryState, webhookTopic } from './enums.ts';
import { dateIf, dateOf } from './time.ts';

/** A message to one of the tenant's webhooks, kept until it has arrived and for a while after. */
export interface WebhookDelivery {
  /** The `webhook-id` of every attempt. */
  readonly id: string;
  readonly tenantId: string;
  /** The webhook, as the catalog calls it. */
  readonly webhook: string;
  readonly topic: WebhookTopic;
  /** The action that it tells of, and its version after the transition that it tells of. */
  readonly actionId: string;
  readonly actionVersion: number;
  readonly state: WebhookDeliveryState;
  /** Attempts that were begun; counted anew when it is sent again. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When it is sent next; not there unless it is due. */
  readonly nextAt?: Date;
  /** Why the last attempt did not arrive. */
  readonly fault?: string;
}

/** The message that an answer always has. */
export function deliveryOf(answer: { readonly delivery?: WireDelivery }): WebhookDelivery {
  const { delivery } = answer;
  if (delivery === undefined) throw new TypeError('the answer has no delivery');
  const { id, tenantId, webhook, actionId, attempts } = delivery;
  return {
    ...{ id, tenantId, webhook, actionId, attempts },
    topic: webhookTopic(delivery.topic),
    actionVersion: Number(delivery.actionVersion),
    state: webhookDeliveryState(delivery.state),
    createdAt: dateOf(delivery.createdAt),
    nextAt: dateIf(delivery.nextAt),
    fault: delivery.fault || undefined,
  };
}
