import { defineEntity, p, raw } from '@mikro-orm/core';

const credentialEventTypes = ['CREATED', 'ROTATED', 'REVOKED'] as const;

/** What was done to credentials, by whom and when. Rows are never changed or deleted: a trigger refuses it. */
export const CredentialEventEntity = defineEntity({
  name: 'CredentialEvent',
  tableName: 'credential_event',
  triggers: [
    {
      name: 'append_only',
      timing: 'before',
      events: ['update', 'delete'],
      forEach: 'statement',
      body: "raise exception 'rows of credential_event are never changed or deleted'",
    },
  ],
  properties: {
    seq: p.bigint('string').primary().autoincrement(),
    tenantId: p.text().primary(),
    credentialId: p.uuid(),
    type: p.enum(credentialEventTypes).nativeEnumName('credential_event_type'),
    /** Both null when the server itself did it. */
    actorCredential: p.text().nullable(),
    actorUser: p.text().nullable(),
    /** A JSON object: how the key began that was made, what it may do, when the old one ends. */
    detail: p.text(),
    at: p.datetime(6).default(raw('clock_timestamp()')),
  },
});
