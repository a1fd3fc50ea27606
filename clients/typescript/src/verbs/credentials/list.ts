import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import type { Page, PageInput } from '../../pages.ts';
import { type Credential, credentialOf } from '../../wire/credential.ts';

export interface CredentialPage extends Page {
  /** Newest first, also those that are no longer good. */
  readonly credentials: readonly Credential[];
}

export async function listCredentials(
  connection: Connection,
  { pageSize, cursor }: PageInput,
  options?: CallOptions,
): Promise<CredentialPage> {
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.credentials.list({ pageSize, cursor }, rpc) },
    options,
  );
  const nextCursor = answer.nextCursor || undefined;
  const credentials = answer.credentials.map((credential) => credentialOf({ credential }));
  return { credentials, nextCursor, hasMore: nextCursor !== undefined };
}
