import { defineEntity, p, raw } from '@mikro-orm/core';

/** A customer of the installation. Ids are `[a-z0-9][a-z0-9-]{0,62}`. */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  properties: {
    id: p.text().primary(),
    createdAt: p.datetime(6).default(raw('now()')),
  },
});
