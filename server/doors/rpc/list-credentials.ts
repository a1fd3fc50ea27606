import { create, toBinary } from '@bufbuild/protobuf';
import { CredentialSchema } from '@tether/proto/tether/v1/credential_pb.ts';
import type { CredentialServiceListRequestSchema } from '@tether/proto/tether/v1/credential_service_pb.ts';
import {
  CredentialService,
  CredentialServiceListResponseSchema,
} from '@tether/proto/tether/v1/credential_service_pb.ts';
import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import { credentialToWire } from '../proto/credential.ts';
import { fitting, pageBytes } from '../proto/page.ts';
import { rolesOfCredentialService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listCredentialsRpc(
  verbs: CredentialVerbs,
): UnaryRpc<typeof CredentialServiceListRequestSchema, typeof CredentialServiceListResponseSchema> {
  return {
    kind: 'unary',
    method: CredentialService.method.list,
    roles: rolesOfCredentialService.list,
    async handle(principal, { pageSize, cursor }) {
      const listed = await verbs.list(principal, { pageSize, cursor });
      const whole = listed.credentials.map(credentialToWire);
      const credentials = fitting(whole, (each) => toBinary(CredentialSchema, each).byteLength, pageBytes);
      // A cursor is the id of the last credential that was told.
      const nextCursor = credentials.length < whole.length ? credentials.at(-1)?.id : listed.nextCursor;
      return create(CredentialServiceListResponseSchema, { credentials: [...credentials], nextCursor });
    },
  };
}
