import { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Credential, Credentials } from '../ports/credentials.ts';
import { managerOf } from './manager.ts';
import { credentialNotFound } from './not-found.ts';

/** Ends a credential for good; one that is revoked already is answered as it stands. When it resolves no replica takes it. */
export async function revokeCredential(
  store: Credentials,
  principal: Principal,
  credentialId: string,
): Promise<Credential> {
  const revoked = await store.revoke({ tenantId: principal.tenantId, credentialId }, managerOf(principal));
  switch (revoked.kind) {
    case 'revoked':
      return revoked.credential;
    case 'not-found':
      throw credentialNotFound(credentialId);
    case 'last-operator':
      throw lastOperator(credentialId);
  }
}

function lastOperator(credentialId: string): CallError {
  const argumentsJson = JSON.stringify({ credential_id: credentialId });
  return new CallError('LAST_OPERATOR', {
    message:
      'This is the last operator credential of the tenant that is good for all scopes: without it nobody could manage its ' +
      'credentials any more. Rotate it to make its key worthless, or make another operator first.',
    field: 'credential_id',
    receivedJson: JSON.stringify(credentialId),
    alternatives: [
      { action: 'rotate', argumentsJson, description: 'A new key; the old one is refused from then on.' },
      { action: 'create', argumentsJson: JSON.stringify({ role: 'ROLE_OPERATOR', all_scopes: true }) },
    ],
  });
}
