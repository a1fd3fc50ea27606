import type { Principal } from '../../domain/principal.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { Credentials } from '../ports/credentials.ts';
import type { KeyTold } from './key-told.ts';
import { managerOf } from './manager.ts';
import { credentialNotFound } from './not-found.ts';

export interface RotateCredentialInput {
  /** UUID in lower case. */
  readonly credentialId: string;
  /** How long the old key counts too, milliseconds; 0 for not at all. */
  readonly overlapMs: number;
}

/** Replaces a credential's key. When it resolves no replica takes the old one, unless its overlap says so. */
export async function rotateCredential(
  store: Credentials,
  principal: Principal,
  { credentialId, overlapMs }: RotateCredentialInput,
): Promise<KeyTold> {
  const place = { tenantId: principal.tenantId, credentialId };
  const rotated = await store.rotate({ ...place, overlapMs }, managerOf(principal));
  switch (rotated.kind) {
    case 'rotated':
      return { credential: rotated.credential, key: rotated.key };
    case 'not-found':
      throw credentialNotFound(credentialId);
    case 'over': {
      const how = rotated.credential.revokedAt === null ? 'has expired' : 'was revoked';
      throw invalidRequest({
        message: `This credential ${how}, and a new key would not work: make a new credential.`,
        field: 'credential_id',
        receivedJson: JSON.stringify(credentialId),
      });
    }
  }
}
