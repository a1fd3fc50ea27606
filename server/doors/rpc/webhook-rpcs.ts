import type { WebhookVerbs } from '../../lifecycle/webhooks/webhook-verbs.ts';
import { listDeliveriesRpc } from './list-deliveries.ts';
import { redeliverRpc } from './redeliver.ts';
import type { Rpc } from './rpc.ts';

/** What the doors serve for operators who look after webhooks. */
export function createWebhookRpcs(webhooks: WebhookVerbs): readonly Rpc[] {
  return [listDeliveriesRpc(webhooks), redeliverRpc(webhooks)];
}
