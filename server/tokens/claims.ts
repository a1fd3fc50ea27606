import type { JWTPayload } from 'jose';
import type { ClaimPlace, FromToken, ScopesOfToken, TokenIssuer } from '../domain/identity.ts';
import { valueAt } from '../domain/json-pointer.ts';
import type { Principal } from '../domain/principal.ts';
import { CredentialRefused } from '../lifecycle/ports/authenticator.ts';
import { credentialIdOf } from './credential-id.ts';

/** As the contract has it for users and scopes, in characters. */
const longestText = 256;
const mostScopes = 1_000;
const tenantPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Who a token says is calling, once it is known to be its issuer's. Throws CredentialRefused for whatever does not say it clearly. */
export function principalOf(claims: JWTPayload, issuer: TokenIssuer): Principal {
  assertRequired(claims, issuer);
  const user = textAt(claims, issuer.user.claim, 'user');
  return {
    tenantId: tenantOf(claims, issuer),
    credentialId: credentialIdOf(issuer.issuer, textAt(claims, 'sub', 'subject'), clientOf(claims, issuer)),
    userId: user,
    role: onlyOne(claims, issuer.role, 'role'),
    scopes: scopesOf(claims, issuer.scopes),
  };
}

function assertRequired(claims: JWTPayload, { required }: TokenIssuer): void {
  for (const [place, accepted] of required) {
    const value = claimAt(claims, place);
    const held: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!accepted.some((each) => held.includes(each)))
      throw new CredentialRefused(`its claim ${place} is not what the catalog requires`);
  }
}

function tenantOf(claims: JWTPayload, { tenant, tenants }: TokenIssuer): string {
  const id = tenant.kind === 'as-it-is' ? textAt(claims, tenant.claim, 'tenant') : onlyOne(claims, tenant, 'tenant');
  if (!tenantPattern.test(id)) throw new CredentialRefused('it names a tenant whose id no tenant can have');
  if (tenants !== null && !tenants.has(id))
    throw new CredentialRefused('it names a tenant that its issuer may not speak for', { tenant: id });
  return id;
}

function clientOf(claims: JWTPayload, { client }: TokenIssuer): string | null {
  if (client !== null) return textAt(claims, client.claim, 'client');
  const place = ['client_id', 'azp'].find((each) => Object.hasOwn(claims, each));
  return place === undefined ? null : textAt(claims, place, 'client');
}

/** What a token's values stand for, when that is one thing: two roles are as bad as none. */
function onlyOne<T>(claims: JWTPayload, from: FromToken<T>, what: string): T {
  if (from.kind === 'value') return from.value;
  const value = claimAt(claims, from.claim);
  // Also as a whole: a name may have spaces in it.
  const said = [...(typeof value === 'string' ? [value] : []), ...(listOf(value) ?? [])];
  const found = new Set(said.flatMap((each) => from.values.get(each) ?? []));
  const [only] = found;
  if (only === undefined || found.size > 1)
    throw new CredentialRefused(
      `its claim ${from.claim} stands for ${only === undefined ? 'no' : 'more than one'} ${what}`,
    );
  return only;
}

function scopesOf(claims: JWTPayload, from: ScopesOfToken): readonly string[] | null {
  if (from.kind === 'all') return null;
  if (from.kind === 'value') return from.value;
  const list = listOf(claimAt(claims, from.claim));
  if (from.all !== null && list?.includes(from.all)) return null;
  if (list === undefined || list.length === 0) throw new CredentialRefused(`its claim ${from.claim} names no scope`);
  if (list.length > mostScopes || !list.every((each) => each === '' || isText(each)))
    throw new CredentialRefused(`its claim ${from.claim} holds what no scopes can be`);
  return [...new Set(list)];
}

/** A list of texts, or one text of words with spaces between them, as OAuth's `scope` is. */
function listOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return Array.isArray(value) && value.every((each): each is string => typeof each === 'string') ? value : undefined;
}

function textAt(claims: JWTPayload, place: ClaimPlace, what: string): string {
  const value = claimAt(claims, place);
  if (typeof value === 'string' && isText(value)) return value;
  throw new CredentialRefused(
    `its claim ${place} names no ${what}: a text of 1 to ${longestText} characters without control characters`,
  );
}

/** What can be recorded, and shown to a person. */
function isText(text: string): boolean {
  return text !== '' && text.length <= longestText && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function claimAt(claims: JWTPayload, place: ClaimPlace): unknown {
  if (place.startsWith('/')) return valueAt(claims, place);
  return Object.hasOwn(claims, place) ? claims[place] : undefined;
}
