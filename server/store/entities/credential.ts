import { defineEntity, p, raw } from '@mikro-orm/core';
import { roles } from '../../domain/principal.ts';

/** An API key of a tenant: what it may do, and the SHA-256 of its text, never the text. */
export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'credential',
  uniques: [
    { name: 'credential_key_hash_unique', properties: ['keyHash', 'tenantId'] },
    { name: 'credential_previous_key_unique', properties: ['previousKeyHash', 'tenantId'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.text().primary(),
    role: p.enum(roles).nativeEnumName('role'),
    userId: p.text(),
    /** The parts of the tenant that it is good for; null for all. */
    scopes: p.array().nullable(),
    keyHash: p.blob(),
    /** How the key begins, to tell keys apart in a list. */
    prefix: p.text(),
    /** What it is for; may be empty. */
    name: p.text().default(''),
    createdAt: p.datetime(6).default(raw('now()')),
    /** Null: never by itself. */
    expiresAt: p.datetime(6).nullable(),
    revokedAt: p.datetime(6).nullable(),
    rotatedAt: p.datetime(6).nullable(),
    /** The key before the last rotation, as long as that is taken too. */
    previousKeyHash: p.blob().nullable(),
    previousKeyUntil: p.datetime(6).nullable(),
  },
});
