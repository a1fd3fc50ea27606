import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  WebhookDeliverySchema,
  WebhookDeliveryState,
  WebhookTopic,
  type WebhookDelivery as WireDelivery,
} from '@tether/proto/tether/v1/webhook_delivery_pb.ts';
import type * as domain from '../../domain/webhook.ts';
import { type DeliveryState, deliveryStates } from '../../domain/webhook.ts';
import type { Delivery } from '../../lifecycle/ports/webhooks.ts';
import type { Tie } from '../../wire/tie.ts';

const topicToWire: Readonly<Record<domain.WebhookTopic, WebhookTopic>> = {
  pending: WebhookTopic.PENDING,
  needs_attention: WebhookTopic.NEEDS_ATTENTION,
  settled: WebhookTopic.SETTLED,
  expiring_soon: WebhookTopic.EXPIRING_SOON,
};

const stateToWire: Tie<DeliveryState, typeof WebhookDeliveryState> = {
  DUE: WebhookDeliveryState.DUE,
  DELIVERED: WebhookDeliveryState.DELIVERED,
  DEAD: WebhookDeliveryState.DEAD,
};

export function deliveryToWire(delivery: Delivery): WireDelivery {
  return create(WebhookDeliverySchema, {
    id: delivery.id,
    tenantId: delivery.tenantId,
    webhook: delivery.webhook,
    topic: topicToWire[delivery.topic],
    actionId: delivery.actionId,
    actionVersion: BigInt(delivery.version),
    state: stateToWire[delivery.state],
    attempts: delivery.attempts,
    createdAt: timestampFromDate(delivery.createdAt),
    nextAt: delivery.nextAt === null ? undefined : timestampFromDate(delivery.nextAt),
    fault: delivery.fault,
  });
}

/** Numbers that are no state were refused before. */
export function deliveryStatesFromWire(states: readonly WebhookDeliveryState[]): DeliveryState[] {
  return deliveryStates.filter((state) => states.includes(stateToWire[state]));
}
