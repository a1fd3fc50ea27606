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
