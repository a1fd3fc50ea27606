import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Role as WireRole } from '@tether/proto/clients/tether/v1/credential_pb.ts';
import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type CredentialWithKey, credentialOf } from '../../wire/credential.ts';
import type { Meant, Role } from '../../wire/enums.ts';

export interface CreateCredentialInput {
  readonly role: Meant<Role>;
  /** The user that it belongs to, 1 to 256 characters. */
  readonly userId: string;
  /** The parts of the tenant that it is good for, or `'all'`. */
  readonly scopes: readonly string[] | 'all';
  /** What it is for, at most 128 characters. */
  readonly name?: string;
  /** From when on it is refused; it does not expire when this is not there. */
  readonly expiresAt?: Date;
}

export async function createCredential(
  connection: Connection,
  { role, userId, scopes, name, expiresAt }: CreateCredentialInput,
  options?: CallOptions,
): Promise<CredentialWithKey> {
  const good = scopes === 'all' ? { allScopes: true } : { scopes: [...scopes] };
  const request = { role: WireRole[role], userId, name, ...good, expiresAt: expiresAt && timestampFromDate(expiresAt) };
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list', description: 'List the credentials; revoke one whose key was lost.' }],
      send: (rpc) => connection.credentials.create(request, rpc),
    },
    options,
  );
  return { credential: credentialOf(answer), key: answer.key };
}
