import { create } from '@bufbuild/protobuf';
import type { CredentialServiceCreateRequestSchema } from '@tether/proto/tether/v1/credential_service_pb.ts';
import {
  CredentialService,
  CredentialServiceCreateResponseSchema,
} from '@tether/proto/tether/v1/credential_service_pb.ts';
import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import { invalidRequest } from '../invalid-request.ts';
import { credentialToWire, roleFromWire } from '../proto/credential.ts';
import { listCredentials } from '../proto/find-out.ts';
import { dateFromWire } from '../proto/timestamp.ts';
import { rolesOfCredentialService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function createCredentialRpc(
  credentials: CredentialVerbs,
): UnaryRpc<typeof CredentialServiceCreateRequestSchema, typeof CredentialServiceCreateResponseSchema> {
  return {
    kind: 'unary',
    method: CredentialService.method.create,
    roles: rolesOfCredentialService.create,
    async handle(principal, request) {
      const { credential, key } = await credentials.create(principal, {
        role: roleFromWire(request.role),
        userId: request.userId,
        scopes: scopesFromWire(request.allScopes, request.scopes),
        name: request.name,
        expiresAt: request.expiresAt === undefined ? null : dateFromWire(request.expiresAt, 'expires_at'),
      });
      return create(CredentialServiceCreateResponseSchema, { credential: credentialToWire(credential), key });
    },
    waysToFindOut: () => [listCredentials],
  };
}

/** Null for all; that a list was forgotten must not mean everything. */
function scopesFromWire(all: boolean, scopes: readonly string[]): readonly string[] | null {
  if (all && scopes.length === 0) return null;
  if (!all && scopes.length > 0) return [...new Set(scopes)];
  throw invalidRequest({
    message: `Exactly one of all_scopes and scopes must be given; ${all ? 'both are' : 'neither is'}.`,
    field: all ? 'scopes' : 'all_scopes',
    receivedJson: JSON.stringify(all ? scopes : false),
  });
}
