import { defineEntity, p } from '@mikro-orm/core';

/** An idempotency key that a user gave to a confirm, recorded by the claim; an action can have several (DESIGN §2.2). */
export const ConfirmKeyEntity = defineEntity({
  name: 'ConfirmKey',
  tableName: 'confirm_key',
  properties: {
    idempotencyKey: p.text().primary(),
    userId: p.text().primary(),
    tenantId: p.text().primary(),
    actionId: p.uuid(),
  },
});
