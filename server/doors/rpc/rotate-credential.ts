import { create } from '@bufbuild/protobuf';
import type { CredentialServiceRotateRequestSchema } from '@tether/proto/tether/v1/credential_service_pb.ts';
import {
  CredentialService,
  CredentialServiceRotateResponseSchema,
} from '@tether/proto/tether/v1/credential_service_pb.ts';
import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import { credentialToWire } from '../proto/credential.ts';
import { millisecondsFromWire } from '../proto/duration.ts';
import { listCredentials } from '../proto/find-out.ts';
import { rolesOfCredentialService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function rotateCredentialRpc(
  credentials: CredentialVerbs,
): UnaryRpc<typeof CredentialServiceRotateRequestSchema, typeof CredentialServiceRotateResponseSchema> {
  return {
    kind: 'unary',
    method: CredentialService.method.rotate,
    roles: rolesOfCredentialService.rotate,
    async handle(principal, request) {
      const overlapMs = millisecondsFromWire(request.overlap, 'overlap') ?? 0;
      const input = { credentialId: request.credentialId.toLowerCase(), overlapMs };
      const { credential, key } = await credentials.rotate(principal, input);
      return create(CredentialServiceRotateResponseSchema, { credential: credentialToWire(credential), key });
    },
    waysToFindOut: () => [listCredentials],
  };
}
