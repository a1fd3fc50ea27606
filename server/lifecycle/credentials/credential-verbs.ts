import type { Principal } from '../../domain/principal.ts';
import type { Credential, Credentials } from '../ports/credentials.ts';
import { type CreateCredentialInput, createCredential } from './create.ts';
import type { KeyTold } from './key-told.ts';
import { type CredentialsListed, listCredentials } from './list.ts';
import { revokeCredential } from './revoke.ts';
import { type RotateCredentialInput, rotateCredential } from './rotate.ts';

/** What an operator can do with the credentials of their own tenant (DESIGN §3). Each throws CallError. */
export interface CredentialVerbs {
  create(principal: Principal, input: CreateCredentialInput): Promise<KeyTold>;
  /** `pageSize` 0: the usual; `cursor` empty: the first page. */
  list(principal: Principal, input: { readonly pageSize: number; readonly cursor: string }): Promise<CredentialsListed>;
  rotate(principal: Principal, input: RotateCredentialInput): Promise<KeyTold>;
  /** `credentialId`: UUID in lower case. */
  revoke(principal: Principal, credentialId: string): Promise<Credential>;
}

export function createCredentialVerbs(store: Credentials): CredentialVerbs {
  return {
    create: (principal, input) => createCredential(store, principal, input),
    list: (principal, input) => listCredentials(store, principal, input),
    rotate: (principal, input) => rotateCredential(store, principal, input),
    revoke: (principal, credentialId) => revokeCredential(store, principal, credentialId),
  };
}
