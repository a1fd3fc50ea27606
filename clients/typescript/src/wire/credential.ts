import type { Credential as WireCredential } from '@tether/proto/clients/tether/v1/credential_pb.ts';
import { type Role, role } from './enums.ts';
import { dateIf, dateOf } from './time.ts';

/** An API key of a tenant: whose it is and what it may do. The key itself is told once, when it is made. */
export interface Credential {
  readonly id: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly userId: string;
  /** True when it is good for every part of the tenant; else `scopes` are the parts. */
  readonly allScopes: boolean;
  readonly scopes: readonly string[];
  readonly name: string;
  /** How the key begins. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** From when on it is refused. */
  readonly expiresAt?: Date;
  /** Since when it is refused for good. */
  readonly revokedAt?: Date;
  /** When its key was last replaced. */
  readonly rotatedAt?: Date;
  /** Until when the key before the last rotation is taken as well. */
  readonly previousKeyUntil?: Date;
}

/** A credential and its key, which nobody can tell again. */
export interface CredentialWithKey {
  readonly credential: Credential;
  readonly key: string;
}

/** The credential that an answer always has. */
export function credentialOf(answer: { readonly credential?: WireCredential }): Credential {
  const { credential } = answer;
  if (credential === undefined) throw new TypeError('the answer has no credential');
  return {
    id: credential.id,
    tenantId: credential.tenantId,
    role: role(credential.role),
    userId: credential.userId,
    allScopes: credential.allScopes,
    scopes: credential.scopes,
    name: credential.name,
    prefix: credential.prefix,
    createdAt: dateOf(credential.createdAt),
    expiresAt: dateIf(credential.expiresAt),
    revokedAt: dateIf(credential.revokedAt),
    rotatedAt: dateIf(credential.rotatedAt),
    previousKeyUntil: dateIf(credential.previousKeyUntil),
  };
}
