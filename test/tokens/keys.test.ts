/** How an issuer's keys are fetched: seldom, within bounds, from where they should be; and what happens while they cannot be. */
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Identity } from '../../server/domain/identity.ts';
import { CredentialUnverifiable } from '../../server/lifecycle/ports/authenticator.ts';
import { authority, server } from '../dispatch/certificates.ts';
import {
  configurationPath,
  type Issuer,
  type IssuerAnswer,
  type IssuerOptions,
  json,
  keysPath,
  makeKey,
  startIssuer,
} from '../support/issuer.ts';
import { entryOf, identityOf, refusalOf, taking } from './taking.ts';

const good = { sub: 'ann', aud: 'tether' };
const usual = 'tenant: { value: acme }, role: { value: agent }, all_scopes: true';

/** How long is waited for what happens beside a call: much longer than it takes. */
const patience = { timeout: 20_000 } as const;

/** Good for longer than the tests look ahead. */
const long = () => ({ ...good, exp: Math.floor(Date.now() / 1000) + 9_000 });

async function start(options?: IssuerOptions): Promise<Issuer> {
  const issuer = await startIssuer(options);
  onTestFinished(() => issuer.close());
  return issuer;
}

/** The token of a stranger who makes up a key. */
const madeUp = (issuer: Issuer, kid: string) => issuer.token(good, { header: { kid } });

const unverifiable = (answer: Promise<unknown>) => expect(answer).rejects.toBeInstanceOf(CredentialUnverifiable);

test('nothing is fetched before somebody comes with a token, and then once for all who come at the same time', async () => {
  const issuer = await start();
  const { authenticate } = taking(identityOf(entryOf(issuer.url)));
  await refusalOf(authenticate(await issuer.token({ ...good, iss: 'https://evil.example/' })));
  await refusalOf(authenticate(await issuer.token({ ...good, aud: 'other' })));
  expect(issuer.asked).toEqual([]);
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, jti) => issuer.token({ ...good, jti: String(jti) })));
  await Promise.all(tokens.map((token) => authenticate(token)));
  expect(issuer.asked).toEqual([configurationPath, keysPath]);
});

test('with jwks_url the OpenID configuration is not looked for', async () => {
  const issuer = await start();
  const entry = entryOf(issuer.url, `${usual}, jwks_url: "${issuer.url}keys"`);
  expect(await taking(identityOf(entry)).authenticate(await issuer.token(good))).toBeDefined();
  expect(issuer.asked).toEqual([keysPath]);
});

describe('a key that is not known', () => {
  test('is looked for at once, so that an issuer may change its keys without notice', async () => {
    const issuer = await start();
    const { authenticate } = taking(identityOf(entryOf(issuer.url)), { keyTimes: { cooldownMs: 0 } });
    expect(await authenticate(await issuer.token(good))).toBeDefined();
    await issuer.replaceKey();
    expect(await authenticate(await issuer.token(good))).toBeDefined();
  });

  test('is looked for once, however many strangers make keys up', async () => {
    const issuer = await start();
    const { authenticate } = taking(identityOf(entryOf(issuer.url)));
    const strangers = await Promise.all(Array.from({ length: 50 }, (_, each) => madeUp(issuer, `made-up-${each}`)));
    for (const token of strangers.slice(0, 10)) await refusalOf(authenticate(token));
    await Promise.all(strangers.map((token) => refusalOf(authenticate(token))));
    expect(issuer.asked).toEqual([configurationPath, keysPath]);
    expect(await authenticate(await issuer.token(good))).toBeDefined();
  });

  test('is not said to be wrong while nobody can know: the issuer may have a new one', async () => {
    const issuer = await start();
    const taker = taking(identityOf(entryOf(issuer.url)), { keyTimes: { cooldownMs: 0 } });
    expect(await taker.authenticate(await issuer.token(good))).toBeDefined();
    issuer.answer(keysPath, json({}, 503));
    for (let call = 0; call < 10; call++) await unverifiable(taker.authenticate(await madeUp(issuer, 'new')));
    expect(issuer.asked.filter((path) => path === keysPath)).toHaveLength(2);
    // Who has a key that is known is let in meanwhile.
    expect(await taker.authenticate(await issuer.token({ ...good, jti: 'other' }))).toBeDefined();
  });
});

test('without any key the call is neither let in nor refused; the issuer is not hammered; and all is well when it is back', async () => {
  const issuer = await start();
  issuer.answer(configurationPath, json({ message: 's3cret words' }, 500));
  const taker = taking(identityOf(entryOf(issuer.url)));
  const token = await issuer.token(good);
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => taker.authenticate(token)));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['rejected']));
  for (let call = 0; call < 20; call++) {
    const thrown = await taker.authenticate(token).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'CredentialUnverifiable', retryAfterSeconds: 5 });
  }
  expect(issuer.asked).toEqual([configurationPath]);
  expect(taker.log).toHaveLength(1);
  expect(taker.log[0]).toContain('answers with HTTP status 500');
  expect(taker.log[0]).not.toContain('s3cret');
  issuer.answer(configurationPath, null);
  taker.ahead += 5_000;
  expect(await taker.authenticate(token)).toMatchObject({ userId: 'ann' });
});

test('an issuer that nobody reaches is the same', async () => {
  const issuer = await startIssuer();
  const token = await issuer.token(good);
  await issuer.close();
  const taker = taking(identityOf(entryOf(issuer.url)));
  await unverifiable(taker.authenticate(token));
  expect(taker.log[0]).toContain('ECONNREFUSED');
});

describe('keys that are known', () => {
  test('are fetched anew after ten minutes, beside the call, and one that was taken out counts no more', async () => {
    const issuer = await start();
    const taker = taking(identityOf(entryOf(issuer.url)));
    const old = issuer.key;
    const next = () => issuer.token({ ...long(), jti: String(Math.random()) }, { key: old });
    expect(await taker.authenticate(await next())).toBeDefined();
    await issuer.replaceKey();
    issuer.published.shift();
    taker.ahead += 599_000;
    expect(await taker.authenticate(await next())).toBeDefined();
    expect(issuer.asked).toHaveLength(2);
    taker.ahead += 2_000;
    expect(await taker.authenticate(await next())).toBeDefined();
    await expect.poll(() => issuer.asked.length, patience).toBe(4);
    const answer = async () => taker.authenticate(await next()).catch((error: unknown) => String(error));
    await expect.poll(answer, patience).toContain('not among those of its issuer');
  });

  test('go on counting while the issuer is away, for an hour', async () => {
    const issuer = await start();
    const taker = taking(identityOf(entryOf(issuer.url)));
    const next = () => issuer.token({ ...long(), jti: String(Math.random()) });
    expect(await taker.authenticate(await next())).toBeDefined();
    issuer.answer(configurationPath, (response) => void response.destroy());
    taker.ahead += 3_599_000;
    expect(await taker.authenticate(await next())).toBeDefined();
    taker.ahead += 2_000;
    await unverifiable(taker.authenticate(await next()));
  });
});

describe('what an issuer publishes is not used when it', () => {
  const redirect: IssuerAnswer = (response) => void response.writeHead(302, { location: '/elsewhere' }).end();
  const large: IssuerAnswer = (response) =>
    void response.writeHead(200).end(JSON.stringify({ keys: [], x: 'x'.repeat(262_144) }));
  test.each<[what: string, path: string, answer: (issuer: Issuer) => IssuerAnswer, why: string]>([
    ['sends us elsewhere', keysPath, () => redirect, 'HTTP status 302'],
    ['sends us elsewhere for its configuration', configurationPath, () => redirect, 'HTTP status 302'],
    ['is too large', keysPath, () => large, 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    ['is no JSON', keysPath, () => (response) => void response.end('<p>s3cret</p>'), 'not JSON'],
    ['is no set of keys', keysPath, () => json({ keys: 's3cret' }), 'no JSON Web Key Set'],
    ['holds keys that are none', keysPath, () => json({ keys: ['s3cret'] }), 'no JSON Web Key Set'],
    ['is cut', keysPath, () => cut, 'UND_ERR_SOCKET'],
    ['never ends', keysPath, () => endless, 'TimeoutError'],
    [
      'is the configuration of another issuer',
      configurationPath,
      ({ url }) => json({ issuer: url.slice(0, -1), jwks_uri: `${url}keys` }),
      'not the OpenID configuration of',
    ],
    ['does not say where the keys are', configurationPath, ({ url }) => json({ issuer: url }), 'no jwks_uri'],
    [
      'says that they are where anybody can change them',
      configurationPath,
      ({ url }) => json({ issuer: url, jwks_uri: 'http://keys.example/' }),
      'no jwks_uri',
    ],
    [
      'says that they are in a file',
      configurationPath,
      ({ url }) => json({ issuer: url, jwks_uri: 'file:///etc/keys' }),
      'no jwks_uri',
    ],
  ])('%s', async (_, path, answer, why) => {
    const issuer = await start();
    issuer.answer(path, answer(issuer));
    issuer.answer('/elsewhere', json({ issuer: issuer.url, jwks_uri: `${issuer.url}keys`, keys: issuer.published }));
    const keyTimes = answer(issuer) === endless ? { timeoutMs: 300 } : {};
    const taker = taking(identityOf(entryOf(issuer.url)), { keyTimes });
    await unverifiable(taker.authenticate(await issuer.token(good)));
    expect(taker.log.join()).toContain(why);
    expect(taker.log.join()).not.toContain('s3cret');
    expect(issuer.asked).not.toContain('/elsewhere');
  });
});

const cut: IssuerAnswer = (response) => {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('{"keys"', () => response.destroy());
};
const endless: IssuerAnswer = (response: ServerResponse) => {
  response.writeHead(200);
  response.write('{"keys":[');
};

test('a set with a key that is of no use to us is used for the others', async () => {
  const issuer = await start();
  issuer.published.unshift(
    { kty: 'oct', k: 'c2VjcmV0', kid: 'a' },
    { kty: 'XYZ', kid: 'b' },
    (await makeKey('RS256')).publicJwk,
  );
  const taker = taking(identityOf(entryOf(issuer.url)));
  expect(await taker.authenticate(await issuer.token(good))).toBeDefined();
});

test('a token that names no key is taken when only one fits', async () => {
  const issuer = await start();
  const taker = taking(identityOf(entryOf(issuer.url)), { keyTimes: { cooldownMs: 0 } });
  const unnamed = { header: { kid: undefined } };
  expect(await taker.authenticate(await issuer.token(good, unnamed))).toBeDefined();
  await issuer.replaceKey();
  await taker.authenticate(await issuer.token(good));
  const refusal = await refusalOf(taker.authenticate(await issuer.token({ ...good, jti: '2' }, unnamed)));
  expect(refusal.message).toContain('names no key');
});

describe('over TLS', () => {
  /** The same issuers, of an authority that the runtime does not know. */
  const believing = ({ issuers }: Identity): Identity => ({
    issuers: issuers.map((each) => ({
      ...each,
      tls: { id: 'own', options: () => ({ ca: authority, cert: undefined, key: undefined }) },
    })),
  });

  test('an issuer of our own authority is believed when the catalog names it', async () => {
    const issuer = await start({ tls: server });
    const identity = identityOf(entryOf(issuer.url));
    const token = await issuer.token(good);
    expect(await taking(believing(identity)).authenticate(token)).toMatchObject({ userId: 'ann' });
    const stranger = taking(identity);
    await unverifiable(stranger.authenticate(token));
    expect(stranger.log.join()).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  test('an issuer does not send us to what listens on this machine', async () => {
    const issuer = await start({ tls: server });
    issuer.answer(configurationPath, json({ issuer: issuer.url, jwks_uri: 'http://127.0.0.1:1/keys' }));
    const taker = taking(believing(identityOf(entryOf(issuer.url))));
    await unverifiable(taker.authenticate(await issuer.token(good)));
    expect(taker.log.join()).toContain('begins with https://');
  });
});
