/**
 * An OpenID provider for tests: a real server with its configuration, its keys and the tokens it signs.
 *
 *   const issuer = await startIssuer();
 *   const token = await issuer.token({ sub: 'ann', aud: 'tether' });
 *   await issuer.replaceKey();                        // publishes a new one, and signs with it
 *   issuer.answer('/keys', (response) => …);          // answers otherwise, from then on
 *   issuer.asked                                      // the paths it was asked for
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export type IssuerAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** What it signs with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface TokenOptions {
  /** Its own newest by default. */
  readonly key?: SigningKey;
  /** Beside `alg` and `kid`; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface Issuer {
  /** Its `iss`, and the base of its URLs; ends in `/`. */
  readonly url: string;
  /** The paths it was asked for, in order. */
  readonly asked: readonly string[];
  /** The keys that it publishes. */
  readonly published: JWK[];
  readonly key: SigningKey;
  /** A token of its own, good for 5 minutes from now on unless the claims say otherwise; undefined leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
  replaceKey(): Promise<SigningKey>;
  /** Answers a path otherwise; with null as before. */
  answer(path: string, answer: IssuerAnswer | null): void;
  close(): Promise<void>;
}

export interface IssuerOptions {
  readonly alg?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A free one by default. */
  readonly port?: number;
}

export const configurationPath = '/.well-known/openid-configuration';
export const keysPath = '/keys';

export const json =
  (value: unknown, status = 200): IssuerAnswer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

let kids = 0;

export async function makeKey(alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = `key-${++kids}`;
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export async function startIssuer({ alg = 'ES256', tls, port = 0 }: IssuerOptions = {}): Promise<Issuer> {
  const asked: string[] = [];
  const answers = new Map<string, IssuerAnswer>();
  let key = await makeKey(alg);
  const published = [key.publicJwk];
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers.get(path) ?? usual.get(path) ?? json({ error: 'not_found' }, 404);
    answer(response, request);
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  const url = tls === undefined ? `http://127.0.0.1:${own}/` : `https://localhost:${own}/`;
  const usual = new Map<string, IssuerAnswer>([
    [configurationPath, json({ issuer: url, jwks_uri: `${url.slice(0, -1)}${keysPath}` })],
    [keysPath, (response, request) => json({ keys: published })(response, request)],
  ]);
  return {
    url,
    asked,
    published,
    get key() {
      return key;
    },
    token(claims = {}, options = {}) {
      const now = Math.floor(Date.now() / 1000);
      return signed({ iss: url, iat: now, exp: now + 300, ...claims }, options.key ?? key, options.header);
    },
    async replaceKey() {
      key = await makeKey(alg);
      published.push(key.publicJwk);
      return key;
    },
    answer(path, answer) {
      if (answer === null) answers.delete(path);
      else answers.set(path, answer);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function signed(
  claims: JWTPayload,
  { alg, kid, privateKey }: SigningKey,
  header: TokenOptions['header'],
): Promise<string> {
  const whole = { alg, kid, ...header };
  return new SignJWT(claims).setProtectedHeader(JSON.parse(JSON.stringify(whole))).sign(privateKey);
}
