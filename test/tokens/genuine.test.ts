/** Only a genuine token of a declared issuer, made for us, of the right kind and in its time, is taken. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Issuer, makeKey, type SigningKey, startIssuer } from '../support/issuer.ts';
import { entryOf, identityOf, refusalOf, taking } from './taking.ts';

let issuer: Issuer;
/** Who signs as this issuer and is not. */
let forger: SigningKey;
/** A key of the issuer's for an algorithm that is not among the usual ones. */
let unwanted: SigningKey;
beforeAll(async () => {
  issuer = await startIssuer({ alg: 'RS256' });
  const { privateKey, publicJwk } = await makeKey('RS256');
  unwanted = await makeKey('RS512');
  issuer.published.push(unwanted.publicJwk);
  forger = { alg: 'RS256', kid: issuer.key.kid, privateKey, publicJwk };
});
afterAll(() => issuer.close());

const good = { sub: 'ann', aud: 'tether' };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function taker(more?: string) {
  return taking(identityOf(entryOf(issuer.url, more)));
}
const usual = 'tenant: { value: acme }, role: { value: agent }, all_scopes: true';

/** The same token with another part. */
async function withPart(index: 0 | 1 | 2, change: (part: string) => string): Promise<string> {
  const parts = (await issuer.token(good)).split('.');
  return parts.map((part, at) => (at === index ? change(part) : part)).join('.');
}

/** Signed by HMAC with what everybody can fetch. */
async function byHmac(secret: string): Promise<string> {
  const head = base64({ alg: 'HS256', typ: 'JWT', kid: issuer.key.kid });
  const body = base64({ iss: issuer.url, exp: inSeconds(300), ...good });
  return `${head}.${body}.${createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')}`;
}

describe('refused', () => {
  test.each<[what: string, token: () => Promise<string>, reason: RegExp]>([
    [
      'a token of an issuer that is not declared',
      () => issuer.token({ ...good, iss: 'https://evil.example/' }),
      /issuer is not declared/,
    ],
    [
      'a token whose issuer lacks a slash',
      () => issuer.token({ ...good, iss: issuer.url.slice(0, -1) }),
      /issuer is not declared/,
    ],
    ['a token without an issuer', () => issuer.token({ ...good, iss: undefined }), /issuer is not declared/],
    ['a token of two issuers', () => issuer.token({ ...good, iss: [issuer.url] }), /issuer is not declared/],
    ['a token for somebody else', () => issuer.token({ ...good, aud: 'other' }), /audience is not declared/],
    ['a token for nobody', () => issuer.token({ sub: 'ann' }), /audience is not declared/],
    [
      'a token whose audience only begins alike',
      () => issuer.token({ ...good, aud: 'tether2' }),
      /audience is not declared/,
    ],
    [
      'a token of another key under the same name',
      () => issuer.token(good, { key: forger }),
      /signature verification failed/,
    ],
    [
      'a token of a key that the issuer does not have',
      () => issuer.token(good, { header: { kid: 'gone' } }),
      /not among those of its issuer/,
    ],
    [
      'a token that brings its own key',
      () => issuer.token(good, { key: forger, header: { jwk: forger.publicJwk, kid: 'gone' } }),
      /not among those of its issuer/,
    ],
    [
      'a token that says where its key is',
      () => issuer.token(good, { key: forger, header: { jku: 'https://evil.example/keys' } }),
      /signature verification failed/,
    ],
    [
      'a token with another signature',
      () => withPart(2, (part) => part.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))),
      /signature verification failed/,
    ],
    [
      'a token with another content',
      () => withPart(1, () => base64({ iss: issuer.url, exp: inSeconds(300), ...good, sub: 'eve' })),
      /signature verification failed/,
    ],
    [
      'a token with another header',
      () => withPart(0, () => base64({ alg: 'RS256', kid: issuer.key.kid, x: 1 })),
      /signature verification failed/,
    ],
    ['a token without a signature', () => withPart(2, () => ''), /signature verification failed/],
    [
      'alg none',
      async () => `${base64({ alg: 'none' })}.${base64({ iss: issuer.url, exp: inSeconds(300), ...good })}.`,
      /"alg"/,
    ],
    [
      'alg None',
      async () => `${base64({ alg: 'None' })}.${base64({ iss: issuer.url, exp: inSeconds(300), ...good })}.`,
      /"alg"/,
    ],
    ['HS256 by the public key as PEM', async () => byHmac(await exportSPKI(await publicKey())), /"alg"/],
    ['HS256 by the public key as JWK', () => byHmac(JSON.stringify(issuer.key.publicJwk)), /"alg"/],
    ['an algorithm that is not allowed, by a key of the issuer', () => issuer.token(good, { key: unwanted }), /"alg"/],
    [
      'a critical extension that nobody knows',
      () => withPart(0, () => base64({ alg: 'RS256', kid: issuer.key.kid, crit: ['exp2'], exp2: 1 })),
      /exp2/,
    ],
    ['a token that does not end', () => issuer.token({ ...good, exp: undefined }), /"exp"/],
    ['a token whose end is a text', () => issuer.token({ ...good, exp: '9999999999' }), /"exp"/],
    ['a token that is not yet good', () => issuer.token({ ...good, nbf: inSeconds(60) }), /"nbf"/],
    ['a token of the future', () => issuer.token({ ...good, iat: inSeconds(60) }), /in the future/],
    ['three words', async () => 'a.b.c', /no signed token/],
    ['a header that is no object', async () => `${base64('x')}.${base64({})}.x`, /no signed token/],
    ['a content that is no object', async () => `${base64({ alg: 'RS256' })}.${base64([1])}.x`, /no signed token/],
    ['a typ that is no text', () => withPart(0, () => base64({ alg: 'RS256', typ: { a: 1 } })), /typ is not/],
    [
      'a logout token by its typ',
      () => issuer.token(good, { header: { typ: 'logout+jwt' } }),
      /typ is not at\+jwt or jwt/,
    ],
    ['a logout token by its content', () => issuer.token({ ...good, events: {} }), /tells of an event/],
    ['an ID token by its hash', () => issuer.token({ ...good, at_hash: 'x' }), /ID token/],
    ['an ID token by its nonce', () => issuer.token({ ...good, nonce: 'x' }, { header: { typ: 'JWT' } }), /ID token/],
    ['an ID token by its use', () => issuer.token({ ...good, token_use: 'id' }), /ID token/],
    ['an ID token by its typ within', () => issuer.token({ ...good, typ: 'ID' }), /ID token/],
    ['a refresh token', () => issuer.token({ ...good, typ: 'Refresh' }), /refresh token/],
    ['a token that is too long', () => issuer.token({ ...good, x: 'x'.repeat(16_384) }), /too long/],
  ])('%s', async (_, make, reason) => {
    const token = await make();
    const all = taker();
    const refusal = await refusalOf(all.authenticate(token));
    expect(refusal.message).toMatch(reason);
    expect(refusal.expired).toBe(false);
    const [, body = ''] = token.split('.');
    if (body.length > 20) expect(JSON.stringify([refusal.facts, refusal.message, all.log])).not.toContain(body);
    expect(refusal.cause).toBeUndefined();
  });

  test('an expired token, and its holder may be told so', async () => {
    const refusal = await refusalOf(taker().authenticate(await issuer.token({ ...good, iat: 1, exp: inSeconds(-6) })));
    expect(refusal.expired).toBe(true);
  });

  test.each<[what: string, claims: object, by: () => SigningKey]>([
    ['forged', {}, () => forger],
    ['for somebody else', { aud: 'other' }, () => issuer.key],
    ['of another issuer', { iss: 'https://evil.example/' }, () => issuer.key],
    ['an ID token', { at_hash: 'x' }, () => issuer.key],
  ])('an expired token that is %s, and nobody is told that it has expired', async (_, claims, by) => {
    const token = await issuer.token({ ...good, exp: inSeconds(-60), ...claims }, { key: by() });
    expect((await refusalOf(taker().authenticate(token))).expired).toBe(false);
  });

  test('a token that is older than its entry allows, though it has not expired', async () => {
    const { authenticate } = taker(`${usual}, max_age_seconds: 60`);
    expect(await authenticate(await issuer.token({ ...good, iat: inSeconds(-30) }))).toBeDefined();
    const refusal = await refusalOf(authenticate(await issuer.token({ ...good, iat: inSeconds(-70) })));
    expect(refusal.expired).toBe(true);
    expect((await refusalOf(authenticate(await issuer.token({ ...good, iat: undefined })))).message).toContain('"iat"');
  });

  test('a token whose typ is not the one that its entry asks for', async () => {
    const { authenticate } = taker(`${usual}, typ: [at+jwt]`);
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT'])
      expect(await authenticate(await issuer.token(good, { header: { typ } }))).toBeDefined();
    for (const typ of ['JWT', undefined])
      expect((await refusalOf(authenticate(await issuer.token(good, { header: { typ } })))).message).toContain('typ');
  });
});

describe('taken', () => {
  test.each<[string, object, object?, string?]>([
    ['as JWT', {}, { typ: 'JWT' }],
    ['as an access token', {}, { typ: 'at+jwt' }],
    ['with a nonce in what says that it is an access token', { nonce: 'x', typ: 'Bearer' }],
    ['as an ID token, where these are wanted', { nonce: 'x', at_hash: 'y' }, {}, `${usual}, id_tokens: true`],
    ['a little early, as clocks are', { nbf: inSeconds(4), iat: inSeconds(4) }],
    ['a little late, as clocks are', { exp: inSeconds(-30) }, {}, `${usual}, clock_tolerance_seconds: 300`],
  ])('%s', async (_, claims, header, more) => {
    const token = await issuer.token({ ...good, ...claims }, { header: { ...header } });
    expect(await taker(more).authenticate(token)).toMatchObject({ userId: 'ann' });
  });

  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('by %s', async (alg) => {
    const another = await startIssuer({ alg });
    const { authenticate } = taking(identityOf(entryOf(another.url)));
    expect(await authenticate(await another.token(good))).toMatchObject({ userId: 'ann' });
    await another.close();
  });
});

test('a key too short to trust verifies nothing, even if its issuer publishes it', async () => {
  const { publicKey: short } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const another = await startIssuer({ alg: 'RS256' });
  another.published.splice(0, 1, { ...short.export({ format: 'jwk' }), kid: another.key.kid, alg: 'RS256' });
  const { authenticate } = taking(identityOf(entryOf(another.url)));
  await refusalOf(authenticate(await another.token(good)));
  await another.close();
});

async function publicKey() {
  const key = await importJWK(issuer.key.publicJwk, 'RS256', { extractable: true });
  if (key instanceof Uint8Array) throw new Error('no public key');
  return key;
}
