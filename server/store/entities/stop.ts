import { defineEntity, p, raw } from '@mikro-orm/core';
import { stopKinds } from '../../domain/stop.ts';

/** What is stopped now; who stopped and resumed what, ever, is in the administrative trail. */
export const StopEntity = defineEntity({
  name: 'Stop',
  tableName: 'stop',
  properties: {
    /** The tool or endpoint; empty for the tenant. */
    name: p.text().primary(),
    kind: p.enum(stopKinds).nativeEnumName('stop_kind').primary(),
    tenantId: p.text().primary(),
    reason: p.text(),
    byCredential: p.text(),
    byUser: p.text(),
    at: p.datetime(6).default(raw('clock_timestamp()')),
  },
});
