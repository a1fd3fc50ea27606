import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type CredentialWithKey, credentialOf } from '../../wire/credential.ts';

export interface RotateCredentialInput {
  readonly credentialId: string;
  /** How long the old key is still taken beside the new one, in milliseconds, at most 30 days; not at all by default. */
  readonly overlapMs?: number;
}

export async function rotateCredential(
  connection: Connection,
  { credentialId, overlapMs = 0 }: RotateCredentialInput,
  options?: CallOptions,
): Promise<CredentialWithKey> {
  const request = { credentialId, overlap: durationFromMs(overlapMs) };
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list', description: 'List the credentials; rotate again if the new key was lost.' }],
      send: (rpc) => connection.credentials.rotate(request, rpc),
    },
    options,
  );
  return { credential: credentialOf(answer), key: answer.key };
}
