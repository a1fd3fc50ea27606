import type { Principal } from '../../domain/principal.ts';
import { invalidCursor } from '../list.ts';
import type { Credential, Credentials } from '../ports/credentials.ts';
import { managerOf } from './manager.ts';

const usualPage = 50;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface CredentialsListed {
  readonly credentials: readonly Credential[];
  /** Empty when this was the last page. */
  readonly nextCursor: string;
}

/** The credentials of the caller's tenant, newest first, in pages; a cursor is the id of the last one that was told. */
export async function listCredentials(
  store: Credentials,
  principal: Principal,
  { pageSize, cursor }: { readonly pageSize: number; readonly cursor: string },
): Promise<CredentialsListed> {
  managerOf(principal);
  if (cursor !== '' && !uuid.test(cursor)) throw invalidCursor(cursor);
  const { credentials, more } = await store.list({
    tenantId: principal.tenantId,
    after: cursor === '' ? null : cursor,
    limit: pageSize || usualPage,
  });
  const last = credentials.at(-1);
  // A cursor is handed out only where more follows, and no credential is ever deleted.
  if (cursor !== '' && last === undefined) throw invalidCursor(cursor);
  return { credentials, nextCursor: more && last !== undefined ? last.id : '' };
}
