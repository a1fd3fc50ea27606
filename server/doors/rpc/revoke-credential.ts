import { create } from '@bufbuild/protobuf';
import type { CredentialServiceRevokeRequestSchema } from '@tether/proto/tether/v1/credential_service_pb.ts';
import {
  CredentialService,
  CredentialServiceRevokeResponseSchema,
} from '@tether/proto/tether/v1/credential_service_pb.ts';
import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import { credentialToWire } from '../proto/credential.ts';
import { listCredentials } from '../proto/find-out.ts';
import { rolesOfCredentialService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function revokeCredentialRpc(
  credentials: CredentialVerbs,
): UnaryRpc<typeof CredentialServiceRevokeRequestSchema, typeof CredentialServiceRevokeResponseSchema> {
  return {
    kind: 'unary',
    method: CredentialService.method.revoke,
    roles: rolesOfCredentialService.revoke,
    async handle(principal, request) {
      const credential = await credentials.revoke(principal, request.credentialId.toLowerCase());
      return create(CredentialServiceRevokeResponseSchema, { credential: credentialToWire(credential) });
    },
    waysToFindOut: () => [listCredentials],
  };
}
