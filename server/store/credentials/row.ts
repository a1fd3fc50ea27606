import type { Role } from '../../domain/principal.ts';
import type { Credential } from '../../lifecycle/ports/credentials.ts';

/** The columns of a credential, of a table or query that is called `c`. Neither hash is among them. */
export const credentialColumns = `c.id, c.tenant_id, c.role, c.user_id, c.scopes, c.name, c.prefix, c.created_at, c.expires_at,
  c.revoked_at, c.rotated_at, c.previous_key_until`;

export interface CredentialRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly role: Role;
  readonly user_id: string;
  readonly scopes: readonly string[] | null;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly rotated_at: Date | null;
  readonly previous_key_until: Date | null;
}

export function credentialOf(row: CredentialRow): Credential {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    role: row.role,
    userId: row.user_id,
    scopes: row.scopes,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    rotatedAt: row.rotated_at,
    previousKeyUntil: row.previous_key_until,
  };
}
