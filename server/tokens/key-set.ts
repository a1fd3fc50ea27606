/**
 * An issuer's public keys. They are fetched when a token asks for them first, and kept:
 *
 *   younger than `refreshMs`     used as they are
 *   younger than `maxAgeMs`      used, and fetched anew beside it: an issuer that is away for a while stops nobody
 *   older, or none               fetched anew first; who waits for them is not let in without them
 *
 * Where they are is looked up each time, if the catalog does not say. A key that is not among them is looked for once more, unless
 * they were fetched within `cooldownMs`; after a fetch that failed there is none for `retryMs`. So however many tokens strangers
 * make up, the issuer is asked once in that time, and calls that come meanwhile wait for the same answer.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { Agent } from 'undici';
import { isAuthentic, type TokenIssuer } from '../domain/identity.ts';
import { CredentialRefused, CredentialUnverifiable } from '../lifecycle/ports/authenticator.ts';
import type { Log } from '../lifecycle/ports/process.ts';
import { fetchJson, reasonOf, Unusable } from './fetch-json.ts';

/** All in milliseconds. */
export interface KeyTimes {
  readonly refreshMs: number;
  readonly maxAgeMs: number;
  readonly cooldownMs: number;
  readonly retryMs: number;
  /** For all of one fetch, the OpenID configuration included. */
  readonly timeoutMs: number;
}

export const usualKeyTimes: KeyTimes = {
  refreshMs: 600_000,
  maxAgeMs: 3_600_000,
  cooldownMs: 30_000,
  retryMs: 5_000,
  timeoutMs: 5_000,
};

/** Of one document; the key sets of large issuers have a few thousand. */
const mostBytes = 262_144;

export interface KeySet {
  /** The key that a token names; rejects with CredentialRefused when there is none, with CredentialUnverifiable when nobody can know. */
  readonly key: JWTVerifyGetKey;
  /** Breaks off what is being fetched. */
  close(): Promise<void>;
}

export interface KeySetOptions {
  readonly log: Log;
  readonly times: KeyTimes;
  /** Milliseconds, never going back. */
  readonly monotonic: () => number;
}

export function createKeySet(
  issuer: Pick<TokenIssuer, 'issuer' | 'keysUrl' | 'tls'>,
  { log, times, monotonic }: KeySetOptions,
): KeySet {
  const agent = new Agent({
    maxResponseSize: mostBytes,
    keepAliveTimeout: 1_000,
    connect: { timeout: times.timeoutMs, ca: issuer.tls?.options().ca },
  });
  const closing = new AbortController();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** Whether the log knows that all is well. */
  let quiet = false;

  const remote = createRemoteJWKSet(new URL(issuer.issuer), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: times.cooldownMs,
    timeoutDuration: times.timeoutMs,
    [customFetch]: async (_, { signal }) => {
      if (monotonic() < failedAt + times.retryMs) throw unverifiable();
      try {
        const keys = await load(AbortSignal.any([signal, closing.signal]));
        loadedAt = monotonic();
        if (!quiet) log.info({ issuer: issuer.issuer, keys: keys.length }, 'the keys of an issuer were fetched');
        quiet = true;
        return Response.json({ keys });
      } catch (error) {
        failedAt = monotonic();
        quiet = false;
        if (!closing.signal.aborted)
          log.warn(
            { issuer: issuer.issuer, reason: reasonOf(error) },
            'the keys of an issuer could not be fetched; tokens that need them are answered with UNAVAILABLE',
          );
        throw unverifiable();
      }
    },
  });

  function unverifiable(): CredentialUnverifiable {
    const leftMs = failedAt + times.retryMs - monotonic();
    return new CredentialUnverifiable(Math.max(1, Math.ceil(leftMs / 1000)));
  }

  async function load(signal: AbortSignal): Promise<object[]> {
    const url = issuer.keysUrl === null ? await discover(signal) : new URL(issuer.keysUrl);
    const found = await fetchJson(url, agent, signal);
    if (!isRecord(found) || !Array.isArray(found.keys) || !found.keys.every(isRecord))
      throw new Unusable(`${url.origin}${url.pathname} is no JSON Web Key Set`);
    return found.keys;
  }

  async function discover(signal: AbortSignal): Promise<URL> {
    const url = new URL(`${issuer.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const found = await fetchJson(url, agent, signal);
    if (!isRecord(found) || found.issuer !== issuer.issuer)
      throw new Unusable(`${url.origin}${url.pathname} is not the OpenID configuration of ${issuer.issuer}`);
    const keys = typeof found.jwks_uri === 'string' ? URL.parse(found.jwks_uri) : null;
    // Who is asked over TLS may not send us to what listens on this machine.
    if (keys === null || !isAuthentic(keys) || (url.protocol === 'https:' && keys.protocol !== 'https:'))
      throw new Unusable(`${url.origin}${url.pathname} has no jwks_uri that begins with https://`);
    return keys;
  }

  return {
    async key(header, token) {
      const age = monotonic() - loadedAt;
      if (age >= times.maxAgeMs) await remote.reload();
      // Why it failed is in the log; what there is goes on counting.
      else if (age >= times.refreshMs && !remote.reloading) remote.reload().catch(() => undefined);
      try {
        return await remote(header, token);
      } catch (error) {
        if (error instanceof CredentialUnverifiable) throw error;
        throw new CredentialRefused(faultOfKey(error), { issuer: issuer.issuer });
      }
    },
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
}

function faultOfKey(error: unknown): string {
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is not among those of its issuer';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it names no key, and several of its issuer would fit';
  return 'the key of its issuer that it names cannot be used';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
