import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import type { Identity, TokenIssuer } from '../domain/identity.ts';
import type { Principal } from '../domain/principal.ts';
import { CredentialRefused, CredentialUnverifiable } from '../lifecycle/ports/authenticator.ts';
import { principalOf } from './claims.ts';
import type { KeySet } from './key-set.ts';
import { typeFault } from './token-type.ts';

/** A token that is its issuer's, and whom it speaks for. */
export interface Verified {
  readonly principal: Principal;
  /** When it ends, its tolerance included; milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Verifies a token: whose it says it is → what it is for → signature → times → what its claims stand for. Rejects with
 * CredentialRefused, whose message no caller is told, or with CredentialUnverifiable.
 */
export async function verifyToken(
  token: string,
  { issuers }: Identity,
  keysOf: (issuer: TokenIssuer) => KeySet,
  now: Date,
): Promise<Verified> {
  const said = read(token);
  const issuer = issuerOf(said.claims, issuers);
  const fault = typeFault(said.header, said.claims, issuer);
  if (fault !== undefined) throw new CredentialRefused(fault, { issuer: issuer.issuer });
  const claims = await verified(token, issuer, keysOf(issuer), now);
  const toleranceMs = issuer.clockToleranceSeconds * 1000;
  const { exp = 0, iat } = claims;
  if (iat !== undefined && iat * 1000 > now.getTime() + toleranceMs)
    throw new CredentialRefused('it was issued in the future: compare the clocks', { issuer: issuer.issuer });
  return { principal: principalOf(claims, issuer), until: Math.min(endOf(issuer, iat), exp * 1000) + toleranceMs };
}

function endOf({ maxAgeSeconds }: TokenIssuer, iat: number | undefined): number {
  return maxAgeSeconds === null || iat === undefined ? Number.POSITIVE_INFINITY : (iat + maxAgeSeconds) * 1000;
}

/** What it says of itself, which is worth nothing yet. */
function read(token: string): { readonly header: ProtectedHeaderParameters; readonly claims: JWTPayload } {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    throw new CredentialRefused('it is no signed token');
  }
}

/** The one entry that it is for. */
function issuerOf({ iss, aud }: JWTPayload, issuers: readonly TokenIssuer[]): TokenIssuer {
  const known = issuers.filter(({ issuer }) => issuer === iss);
  if (known.length === 0) throw new CredentialRefused('its issuer is not declared', { issuer: clipped(iss) });
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const [only, another] = known.filter((each) => each.audience.some((one) => audience.includes(one)));
  if (only === undefined) throw new CredentialRefused('its audience is not declared', { issuer: clipped(iss) });
  if (another !== undefined)
    throw new CredentialRefused('it is for the audiences of two entries of its issuer', { issuer: clipped(iss) });
  return only;
}

async function verified(token: string, issuer: TokenIssuer, { key }: KeySet, now: Date): Promise<JWTPayload> {
  const { maxAgeSeconds } = issuer;
  try {
    const { payload } = await jwtVerify(token, key, {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      algorithms: [...issuer.algorithms],
      requiredClaims: ['exp', 'sub'],
      clockTolerance: issuer.clockToleranceSeconds,
      currentDate: now,
      ...(maxAgeSeconds === null ? {} : { maxTokenAge: maxAgeSeconds }),
    });
    return payload;
  } catch (error) {
    if (error instanceof CredentialRefused || error instanceof CredentialUnverifiable) throw error;
    // The library's error holds the claims, and goes no further than here.
    const facts = { issuer: issuer.issuer };
    if (error instanceof errors.JWTExpired) throw new CredentialRefused('it has expired', facts, true);
    const reason = error instanceof errors.JOSEError ? error.message : 'the key that it names cannot be used';
    throw new CredentialRefused(`it does not hold: ${clipped(reason)}`, facts);
  }
}

/** A stranger's words, in a log. */
function clipped(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, 200) : '';
}
