import { shown } from '../domain/preview.ts';
import type { Credential } from '../lifecycle/ports/credentials.ts';

/** A credential as `--json` prints it: the contract's names; what is not there is null. */
export function credentialJson(credential: Credential): Readonly<Record<string, unknown>> {
  return {
    id: credential.id,
    tenant_id: credential.tenantId,
    role: credential.role,
    user_id: credential.userId,
    all_scopes: credential.scopes === null,
    scopes: credential.scopes ?? [],
    name: credential.name,
    prefix: credential.prefix,
    created_at: credential.createdAt,
    expires_at: credential.expiresAt,
    revoked_at: credential.revokedAt,
    rotated_at: credential.rotatedAt,
    previous_key_until: credential.previousKeyUntil,
  };
}

/** One line for a person. */
export function credentialLine(credential: Credential, now: Date): string {
  const { id, role, userId, scopes, name, prefix } = credential;
  const where =
    scopes === null ? 'all scopes' : `scopes ${scopes.map((scope) => JSON.stringify(shown(scope))).join(', ')}`;
  const called = name === '' ? '' : `, "${shown(name)}"`;
  return `${id}  ${role.padEnd(8)}  ${prefix}…  ${shown(userId)}, ${where}${called}; ${standing(credential, now)}`;
}

/** A key that was just made, with the only chance to see it. */
export function keyText(what: string, credential: Credential, key: string, now: Date): string {
  return [`${what}:`, `  ${credentialLine(credential, now)}`, 'its key, shown this once:', `  ${key}`, ''].join('\n');
}

function standing({ expiresAt, revokedAt, previousKeyUntil }: Credential, now: Date): string {
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`;
  if (expiresAt !== null && expiresAt <= now) return `expired ${expiresAt.toISOString()}`;
  const good = expiresAt === null ? 'good' : `good until ${expiresAt.toISOString()}`;
  const overlaps = previousKeyUntil !== null && previousKeyUntil > now;
  return overlaps ? `${good}, its old key too until ${previousKeyUntil.toISOString()}` : good;
}
