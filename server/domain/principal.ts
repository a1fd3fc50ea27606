/** What a credential may do (DESIGN §3). */
export const roles = ['agent', 'approver', 'operator'] as const;
export type Role = (typeof roles)[number];

/** Who is calling, as their credential says it. */
export interface Principal {
  readonly tenantId: string;
  readonly credentialId: string;
  /** The user that the credential belongs to. */
  readonly userId: string;
  readonly role: Role;
  /** The parts of the tenant it is good for; null for all. */
  readonly scopes: readonly string[] | null;
}

export function maySeeScope(principal: Principal, scope: string): boolean {
  return principal.scopes === null || principal.scopes.includes(scope);
}

/** Whether a credential is still what it was: what a token stands for can change, when the catalog is read again. */
export function sameRights(one: Principal, other: Principal): boolean {
  if (one === other) return true;
  const { tenantId, credentialId, userId, role, scopes } = one;
  if (tenantId !== other.tenantId || credentialId !== other.credentialId) return false;
  if (userId !== other.userId || role !== other.role) return false;
  if (scopes === null || other.scopes === null) return scopes === other.scopes;
  return scopes.length === other.scopes.length && scopes.every((scope, index) => scope === other.scopes?.[index]);
}
