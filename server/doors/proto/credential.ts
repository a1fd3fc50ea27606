import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CredentialSchema, Role, type Credential as WireCredential } from '@tether/proto/tether/v1/credential_pb.ts';
import * as domain from '../../domain/principal.ts';
import type { Credential } from '../../lifecycle/ports/credentials.ts';
import type { Tie } from '../../wire/tie.ts';
import { invalidRequest } from '../invalid-request.ts';

const roleToWire: Tie<domain.Role, typeof Role> = {
  agent: Role.AGENT,
  approver: Role.APPROVER,
  operator: Role.OPERATOR,
};

/** A credential as it travels: never with its key. */
export function credentialToWire(credential: Credential): WireCredential {
  const stamp = (at: Date | null) => (at === null ? undefined : timestampFromDate(at));
  return create(CredentialSchema, {
    id: credential.id,
    tenantId: credential.tenantId,
    role: roleToWire[credential.role],
    userId: credential.userId,
    allScopes: credential.scopes === null,
    scopes: [...(credential.scopes ?? [])],
    name: credential.name,
    prefix: credential.prefix,
    createdAt: timestampFromDate(credential.createdAt),
    expiresAt: stamp(credential.expiresAt),
    revokedAt: stamp(credential.revokedAt),
    rotatedAt: stamp(credential.rotatedAt),
    previousKeyUntil: stamp(credential.previousKeyUntil),
  });
}

/** Throws INVALID_REQUEST for a number that is no role. */
export function roleFromWire(role: Role): domain.Role {
  const found = domain.roles.find((each) => roleToWire[each] === role);
  if (found !== undefined) return found;
  throw invalidRequest({ message: 'role must be one of agent, approver and operator.', field: 'role' });
}
