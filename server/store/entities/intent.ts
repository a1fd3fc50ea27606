import { defineEntity, p } from '@mikro-orm/core';

/** Which action holds an intent, or was the last to hold it: the unique index decides between two stages (DESIGN §2.1). */
export const IntentEntity = defineEntity({
  name: 'Intent',
  tableName: 'intent',
  properties: {
    /** SHA-256, 32 bytes. */
    intentHash: p.blob().primary(),
    tenantId: p.text().primary(),
    actionId: p.uuid(),
  },
});
