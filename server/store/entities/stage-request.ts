import { defineEntity, p } from '@mikro-orm/core';

/** A request id that a credential gave to a stage or an amendment, and the action that it came to. */
export const StageRequestEntity = defineEntity({
  name: 'StageRequest',
  tableName: 'stage_request',
  // For retention, which takes an action with all that hangs on it.
  indexes: [{ name: 'stage_request_action_index', properties: ['actionId', 'tenantId'] }],
  properties: {
    requestId: p.text().primary(),
    credentialId: p.text().primary(),
    tenantId: p.text().primary(),
    actionId: p.uuid(),
  },
});
