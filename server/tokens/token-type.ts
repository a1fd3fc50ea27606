import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import type { TokenIssuer } from '../domain/identity.ts';

/** How issuers call an access token, if they call it anything (RFC 9068, RFC 7519). */
const ofAccessTokens: readonly string[] = ['at+jwt', 'jwt'];

/**
 * Why a text that its issuer signed is no credential all the same: the same key signs ID tokens, logout tokens, answers of user
 * info and introspection. Undefined when nothing speaks against it.
 */
export function typeFault(
  { typ }: ProtectedHeaderParameters,
  claims: JWTPayload,
  { types, idTokens }: Pick<TokenIssuer, 'types' | 'idTokens'>,
): string | undefined {
  // It is a stranger's until the signature is looked at: it may be anything.
  const type =
    typ === undefined
      ? undefined
      : String(typ)
          .toLowerCase()
          .replace(/^application\//, '');
  if (
    types === null ? type !== undefined && !ofAccessTokens.includes(type) : type === undefined || !types.includes(type)
  )
    return `its typ is not ${(types ?? ofAccessTokens).join(' or ')}`;
  if (Object.hasOwn(claims, 'events')) return 'it tells of an event: a logout token, or a security event';
  if (typeof claims.typ === 'string' && ['refresh', 'offline', 'logout'].includes(claims.typ.toLowerCase()))
    return `it is a ${claims.typ.toLowerCase()} token`;
  return !idTokens && isIdToken(type, claims) ? 'it is an ID token, which the catalog does not take' : undefined;
}

/** What only ID tokens have; some issuers put a nonce into access tokens too, and say by other means what these are. */
function isIdToken(type: string | undefined, { typ, token_use: use, ...claims }: JWTPayload): boolean {
  if (typ === 'ID' || use === 'id') return true;
  if (type === 'at+jwt' || typ === 'Bearer' || use === 'access') return false;
  return ['nonce', 'at_hash', 'c_hash', 's_hash'].some((each) => Object.hasOwn(claims, each));
}
