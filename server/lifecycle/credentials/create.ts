import type { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { Credentials, NewCredential } from '../ports/credentials.ts';
import type { KeyTold } from './key-told.ts';
import { managerOf } from './manager.ts';

/** What is wanted of a new credential; the tenant is the caller's. */
export type CreateCredentialInput = Omit<NewCredential, 'tenantId'>;

/** Makes a credential in the caller's tenant. */
export async function createCredential(
  store: Credentials,
  principal: Principal,
  input: CreateCredentialInput,
): Promise<KeyTold> {
  const { tenantId } = principal;
  const created = await store.create({ ...input, tenantId }, managerOf(principal), false);
  switch (created.kind) {
    case 'created':
      return { credential: created.credential, key: created.key };
    case 'past':
      throw past(input.expiresAt);
    case 'no-tenant':
    case 'tenant-exists':
      throw new Error(`the tenant of a credential is not there: ${created.kind}`);
  }
}

function past(expiresAt: Date | null): CallError {
  return invalidRequest({
    message: 'expires_at must lie in the future: a key that has ended already would never work.',
    field: 'expires_at',
    receivedJson: JSON.stringify(expiresAt),
  });
}
