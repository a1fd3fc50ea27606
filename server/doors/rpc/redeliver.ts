import { create } from '@bufbuild/protobuf';
import type { RedeliverRequestSchema } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import { RedeliverResponseSchema, WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import type { WebhookVerbs } from '../../lifecycle/webhooks/webhook-verbs.ts';
import { listDeliveries } from '../proto/find-out.ts';
import { deliveryToWire } from '../proto/webhook-delivery.ts';
import { rolesOfWebhookService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function redeliverRpc(
  webhooks: WebhookVerbs,
): UnaryRpc<typeof RedeliverRequestSchema, typeof RedeliverResponseSchema> {
  return {
    kind: 'unary',
    method: WebhookService.method.redeliver,
    roles: rolesOfWebhookService.redeliver,
    async handle(principal, { deliveryId }) {
      const delivery = await webhooks.redeliver(principal, deliveryId.toLowerCase());
      return create(RedeliverResponseSchema, { delivery: deliveryToWire(delivery) });
    },
    waysToFindOut: () => [listDeliveries],
  };
}
