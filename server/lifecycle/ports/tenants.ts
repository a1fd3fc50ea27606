/** Which tenants there are. Implemented by store. */

export interface Tenants {
  /** Rejects with StoreUnavailable when the database is away. */
  tenantExists(tenantId: string): Promise<boolean>;
}
