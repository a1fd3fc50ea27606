/** What managing credentials needs of the store. */
import type { Actor } from '../../domain/action.ts';
import type { Role } from '../../domain/principal.ts';

/** An API key of a tenant, without the key. Times are the database's. */
export interface Credential {
  readonly id: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly userId: string;
  /** The parts of the tenant it is good for; null for all. */
  readonly scopes: readonly string[] | null;
  /** What it is for; may be empty. */
  readonly name: string;
  /** How the key begins. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** Null: never by itself. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly rotatedAt: Date | null;
  /** Until when the key before the last rotation counts too; null when it does not. */
  readonly previousKeyUntil: Date | null;
}

export type NewCredential = Pick<Credential, 'tenantId' | 'role' | 'userId' | 'scopes' | 'name' | 'expiresAt'>;

export type Creation =
  | { readonly kind: 'created'; readonly credential: Credential; readonly key: string }
  /** `expiresAt` is not in the future. */
  | { readonly kind: 'past' }
  | { readonly kind: 'no-tenant' }
  /** There is one of that id, and a new one was wanted. */
  | { readonly kind: 'tenant-exists' };

export type Rotation =
  | { readonly kind: 'rotated'; readonly credential: Credential; readonly key: string }
  /** Revoked or expired. */
  | { readonly kind: 'over'; readonly credential: Credential }
  | { readonly kind: 'not-found' };

export type Revocation =
  | { readonly kind: 'revoked'; readonly credential: Credential }
  /** Without it the tenant would have no operator that is good for all scopes. */
  | { readonly kind: 'last-operator' }
  | { readonly kind: 'not-found' };

/** The credentials of all tenants. Every change is written together with its audit event, or not at all. */
export interface Credentials {
  /**
   * With `newTenant` the tenant is made together with it. A tenant's id is `[a-z0-9][a-z0-9-]{0,62}`; rejects with RangeError
   * for one that is not.
   */
  create(wanted: NewCredential, by: Actor, newTenant: boolean): Promise<Creation>;
  /** Newest first; `after` is the id of the last one that was told, null for the first page. */
  list(query: {
    readonly tenantId: string;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{ readonly credentials: readonly Credential[]; readonly more: boolean }>;
  /** When it resolves, no replica takes the old key any more, unless its overlap says so. */
  rotate(which: CredentialPlace & { readonly overlapMs: number }, by: Actor): Promise<Rotation>;
  /** When it resolves with `revoked`, no replica takes any key of it any more. */
  revoke(which: CredentialPlace, by: Actor): Promise<Revocation>;
}

export interface CredentialPlace {
  readonly tenantId: string;
  /** UUID in lower case. */
  readonly credentialId: string;
}
