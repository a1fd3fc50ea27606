import { defineEntity, p } from '@mikro-orm/core';

/** A request id that a credential gave to a stage, and the action that the stage came to. */
export const StageRequestEntity = defineEntity({
  name: 'StageRequest',
  tableName: 'stage_request',
  properties: {
    requestId: p.text().primary(),
    credentialId: p.text().primary(),
    tenantId: p.text().primary(),
    actionId: p.uuid(),
  },
});
