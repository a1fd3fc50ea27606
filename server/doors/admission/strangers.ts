import type { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { CallError } from '../../domain/error.ts';
import { fullBucket } from './call-rate.ts';
import { networkOf } from './network-of.ts';

/**
 * What somebody without a good credential can cost: each key that is tried is a look-up in the database, each token a signature.
 * Where credentials fail, only so many more are tried in a second. Behind a proxy everybody has one address, so a credential that
 * was good here before is never held up by what strangers do: only one that this server has not seen yet is.
 */
export interface Strangers {
  /** Throws RATE_LIMITED when nothing more is tried for this address. How the try ended must be told. */
  letTry(peer: string, credential: string): Try;
  passed(tried: Try): void;
  failed(peer: string, tried: Try): void;
}

/** The address that a try was charged to, which it is unless nothing speaks against it. */
export type Try = Failures | undefined;

interface Failures {
  /** What may still fail. */
  readonly left: TokenBucket;
  /** Whether the log was told already. */
  told: boolean;
}

/** Addresses of which it is known that somebody failed there lately. */
const keepAtMost = 10_000;
/** So many seconds' worth of failures may come at once. */
const burstSeconds = 5;

/** `perSecond` failures for each address; 0 for any number. */
export function createStrangers(
  perSecond: number,
  recognises: (credential: string) => boolean,
  logger: Pick<Logger, 'warn'>,
): Strangers {
  if (perSecond === 0) return { letTry: () => undefined, passed: () => undefined, failed: () => undefined };
  const burst = Math.max(1, perSecond * burstSeconds);
  const failing = new LRUCache<string, Failures>({ max: keepAtMost });

  return {
    letTry(peer, credential) {
      if (failing.size === 0) return undefined;
      const place = networkOf(peer);
      const failures = failing.get(place);
      if (failures === undefined) return undefined;
      if (failures.left.getWaitTime(burst) === 0) {
        failing.delete(place);
        return undefined;
      }
      if (recognises(credential)) return undefined;
      // Charged now and given back to who passes, since many may be tried at once.
      if (failures.left.tryRemoveTokens(1)) return failures;
      if (!failures.told) logger.warn({ peer }, 'credentials that do not count keep coming from an address');
      failures.told = true;
      throw tooMany(failures.left.getWaitTime(1) / 1000);
    },
    passed(tried) {
      if (tried !== undefined) tried.left.content = Math.min(burst, tried.left.content + 1);
    },
    failed(peer, tried) {
      if (tried !== undefined) return;
      const place = networkOf(peer);
      const failures = failing.get(place) ?? { left: fullBucket(burst, perSecond), told: false };
      failing.set(place, failures);
      failures.left.tryRemoveTokens(1);
    },
  };
}

function tooMany(retryAfterSeconds: number): CallError {
  return new CallError('RATE_LIMITED', {
    message:
      'Too many credentials that do not count came from this address, so this one was not looked at. Nothing was recorded and nothing ran.',
    field: 'authorization',
    retryAfterSeconds,
  });
}
