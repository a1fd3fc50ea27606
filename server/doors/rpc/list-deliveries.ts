import { create } from '@bufbuild/protobuf';
import type { ListDeliveriesRequestSchema } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import { ListDeliveriesResponseSchema, WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import type { WebhookVerbs } from '../../lifecycle/webhooks/webhook-verbs.ts';
import { deliveryStatesFromWire, deliveryToWire } from '../proto/webhook-delivery.ts';
import { rolesOfWebhookService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listDeliveriesRpc(
  webhooks: WebhookVerbs,
): UnaryRpc<typeof ListDeliveriesRequestSchema, typeof ListDeliveriesResponseSchema> {
  return {
    kind: 'unary',
    method: WebhookService.method.listDeliveries,
    roles: rolesOfWebhookService.listDeliveries,
    async handle(principal, { states, pageSize, cursor }) {
      const page = await webhooks.listDeliveries(principal, {
        states: deliveryStatesFromWire(states),
        pageSize,
        cursor,
      });
      return create(ListDeliveriesResponseSchema, {
        deliveries: page.deliveries.map(deliveryToWire),
        nextCursor: page.nextCursor,
      });
    },
  };
}
