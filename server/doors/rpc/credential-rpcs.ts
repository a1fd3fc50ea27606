import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import { createCredentialRpc } from './create-credential.ts';
import { listCredentialsRpc } from './list-credentials.ts';
import { revokeCredentialRpc } from './revoke-credential.ts';
import { rotateCredentialRpc } from './rotate-credential.ts';
import type { Rpc } from './rpc.ts';

/** What the doors serve for operators who manage credentials. */
export function createCredentialRpcs(credentials: CredentialVerbs): readonly Rpc[] {
  return [
    createCredentialRpc(credentials),
    listCredentialsRpc(credentials),
    rotateCredentialRpc(credentials),
    revokeCredentialRpc(credentials),
  ];
}
