import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Identity, TokenIssuer } from '../domain/identity.ts';
import type { Principal } from '../domain/principal.ts';
import { type Authenticator, CredentialRefused } from '../lifecycle/ports/authenticator.ts';
import type { Log } from '../lifecycle/ports/process.ts';
import type { Tenants } from '../lifecycle/ports/tenants.ts';
import { createKeySet, type KeySet, type KeyTimes, usualKeyTimes } from './key-set.ts';
import { type Verified, verifyToken } from './verify.ts';

export interface TokenAuthenticatorOptions {
  /** Whose tokens count now; undefined: nobody's. Another object when the catalog was read again. */
  readonly identity: () => Identity | undefined;
  readonly tenants: Tenants;
  readonly log: Log;
  /** Milliseconds since the epoch; the process's own clock unless said otherwise. */
  readonly wall?: () => number;
  /** Milliseconds, never going back; the process's own clock unless said otherwise. */
  readonly monotonic?: () => number;
  readonly keyTimes?: Partial<KeyTimes>;
}

export interface TokenAuthenticator extends Authenticator {
  /** Breaks off what is being fetched from issuers. */
  close(): Promise<void>;
}

/** What was found out of a token, or is being found out. */
interface Asked {
  readonly answer: Promise<Verified>;
  /** By the monotonic clock. */
  readonly until: number;
}

const rememberAtMost = 10_000;
/** How long what was found counts, so that a key that its issuer took back, or a tenant, is noticed. */
const trustMs = 60_000;
/** Characters; HTTP servers take no longer headers. */
const longestToken = 16_384;

/**
 * Takes the tokens of declared issuers as credentials. A token that was found good is not verified again for {@link trustMs}, nor
 * beyond its end, and who comes meanwhile waits for the same answer; it is remembered by its hash, and that one is bad is not.
 * When the catalog is read again, everything is found out anew, with the keys of the issuers that are still declared.
 */
export function createTokenAuthenticator({
  identity,
  tenants,
  log,
  wall = Date.now,
  monotonic = () => performance.now(),
  keyTimes,
}: TokenAuthenticatorOptions): TokenAuthenticator {
  const known = new LRUCache<string, Asked>({ max: rememberAtMost });
  const keySets = new Map<string, KeySet>();
  let current: Identity | undefined;

  const keysOf = (issuer: TokenIssuer): KeySet => {
    const place = placeOfKeys(issuer);
    const keys =
      keySets.get(place) ?? createKeySet(issuer, { log, monotonic, times: { ...usualKeyTimes, ...keyTimes } });
    keySets.set(place, keys);
    return keys;
  };

  function follow(now: Identity | undefined): void {
    if (now === current) return;
    current = now;
    known.clear();
    const declared = new Set(now?.issuers.map(placeOfKeys));
    for (const [place, keys] of keySets) {
      if (declared.has(place)) continue;
      keySets.delete(place);
      void keys.close();
    }
  }

  async function find(token: string, declared: Identity): Promise<Verified> {
    if (token.length > longestToken) throw new CredentialRefused('it is too long', { characters: token.length });
    const verified = await verifyToken(token, declared, keysOf, new Date(wall()));
    const { tenantId } = verified.principal;
    if (!(await tenants.tenantExists(tenantId)))
      throw new CredentialRefused('there is no tenant of that id: `tether keys create --new-tenant` makes one', {
        tenant: tenantId,
      });
    return verified;
  }

  function ask(place: string, token: string, declared: Identity): Asked {
    const asked: Asked = { answer: find(token, declared), until: monotonic() + trustMs };
    known.set(place, asked);
    asked.answer.catch(() => {
      if (known.peek(place) === asked) known.delete(place);
    });
    return asked;
  }

  return {
    recognises: (token) => known.has(hash('sha256', token, 'base64')),
    async authenticate(token: string): Promise<Principal | undefined> {
      const declared = identity();
      follow(declared);
      if (declared === undefined) return undefined;
      const place = hash('sha256', token, 'base64');
      const before = known.get(place);
      if (before !== undefined && monotonic() < before.until) {
        const { principal, until } = await before.answer;
        if (wall() < until) return principal;
      }
      return (await ask(place, token, declared).answer).principal;
    },
    async close() {
      await Promise.all([...keySets.values()].map((keys) => keys.close()));
    },
  };
}

/** Entries with the same place have the same keys. */
function placeOfKeys({ issuer, keysUrl, tls }: TokenIssuer): string {
  return JSON.stringify([issuer, keysUrl, tls?.id]);
}
