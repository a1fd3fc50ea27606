import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type Credential, credentialOf } from '../../wire/credential.ts';

export async function revokeCredential(
  connection: Connection,
  input: { readonly credentialId: string },
  options?: CallOptions,
): Promise<Credential> {
  const { credentialId } = input;
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list', description: 'List the credentials.' }],
      send: (rpc) => connection.credentials.revoke({ credentialId }, rpc),
    },
    options,
  );
  return credentialOf(answer);
}
