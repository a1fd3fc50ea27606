import { defineEntity, p } from '@mikro-orm/core';

/** How far the trail has been read for a webhook. */
export const WebhookCursorEntity = defineEntity({
  name: 'WebhookCursor',
  tableName: 'webhook_cursor',
  properties: {
    webhook: p.text().primary(),
    tenantId: p.text().primary(),
    transactionId: p.string().columnType('xid8'),
    seq: p.bigint('string'),
  },
});
