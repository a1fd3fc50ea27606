import { defineEntity, p } from '@mikro-orm/core';

/** An idempotency key that a user gave to a confirm, recorded by the claim; an action can have several (DESIGN §2.2). */
export const ConfirmKeyEntity = defineEntity({
  name: 'ConfirmKey',
  tableName: 'confirm_key',
  // For retention, which takes an action with all that hangs on it.
  indexes: [{ name: 'confirm_key_action_index', properties: ['actionId', 'tenantId'] }],
  properties: {
    idempotencyKey: p.text().primary(),
    userId: p.text().primary(),
    tenantId: p.text().primary(),
    actionId: p.uuid(),
  },
});
