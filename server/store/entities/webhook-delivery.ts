import { defineEntity, p, raw } from '@mikro-orm/core';
import { deliveryStates, webhookTopics } from '../../domain/webhook.ts';

/** Messages to webhooks: until they have arrived, and for a while after. */
export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  uniques: [
    {
      name: 'webhook_delivery_message_unique',
      properties: ['actionId', 'version', 'topic', 'webhook', 'tenantId'],
    },
  ],
  indexes: [
    { name: 'webhook_delivery_next_at_index', properties: ['nextAt'], where: 'next_at is not null' },
    { name: 'webhook_delivery_list_index', properties: ['tenantId', 'createdAt', 'id'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.text().primary(),
    webhook: p.text(),
    topic: p.enum(webhookTopics).nativeEnumName('webhook_topic'),
    actionId: p.uuid(),
    version: p.integer(),
    body: p.text(),
    state: p.enum(deliveryStates).nativeEnumName('delivery_state'),
    attempts: p.integer(),
    nextAt: p.datetime(6).nullable(),
    fault: p.text(),
    createdAt: p.datetime(6).default(raw('now()')),
    changedAt: p.datetime(6).default(raw('now()')),
  },
});
