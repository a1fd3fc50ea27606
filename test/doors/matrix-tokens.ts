import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import type { Issuer } from '../support/issuer.ts';

/** A time of a token, so many seconds from now. */
export const seconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens that miss one thing each; `foreign` is a tenant that the issuer may not speak for. */
export async function badTokens(
  issuer: Issuer,
  stranger: Issuer,
  claims: object,
  foreign: string,
): Promise<Readonly<Record<string, string>>> {
  const good = await issuer.token({ ...claims });
  const [head = '', body = '', signature = ''] = good.split('.');
  const { kid } = issuer.key;
  const publicKey = await importJWK(issuer.key.publicJwk, 'RS256', { extractable: true });
  if (publicKey instanceof Uint8Array) throw new Error('no public key');
  const hmac = `${base64({ alg: 'HS256', typ: 'JWT', kid })}.${body}`;
  const secret = await exportSPKI(publicKey);
  return {
    'a token that is not yet good': await issuer.token({ ...claims, nbf: seconds(3_600) }),
    'a token for somebody else': await issuer.token({ ...claims, aud: 'another' }),
    'a token of an unknown issuer': await stranger.token({ ...claims }),
    'a token in the name of the issuer': await stranger.token({ ...claims, iss: issuer.url }, { header: { kid } }),
    'a token with an unknown kid': await issuer.token({ ...claims }, { header: { kid: 'gone' } }),
    'a token with another signature': `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'a token with another content': `${head}.${base64({ ...claims, iss: issuer.url, exp: seconds(7_200), sub: 'eve' })}.${signature}`,
    'a token without a signature': `${head}.${body}.`,
    'a token by alg none': `${base64({ alg: 'none', typ: 'JWT' })}.${body}.`,
    'a token by HS256 with the public key': `${hmac}.${createHmac('sha256', secret).update(hmac).digest('base64url')}`,
    'an ID token': await issuer.token({ ...claims, nonce: 'n' }),
    'a token without a role': await issuer.token({ ...claims, roles: [] }),
    'a token with two roles': await issuer.token({ ...claims, roles: ['tether-agent', 'tether-approver'] }),
    'a token without a tenant': await issuer.token({ ...claims, org: undefined }),
    'a token for a tenant that there is not': await issuer.token({ ...claims, org: 'initech' }),
    'a token for a tenant that its issuer may not speak for': await issuer.token({ ...claims, org: foreign }),
    'a token without scopes': await issuer.token({ ...claims, stores: [] }),
    'three words': 'a.b.c',
  };
}
