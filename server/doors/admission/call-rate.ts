import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';

/** How many calls each credential may make at this server. */
export interface CallRate {
  /** Takes one call off; throws RATE_LIMITED when there is none. */
  take(principal: Principal): void;
}

/** Credentials whose rates are kept; the one that called longest ago is forgotten, and has a full second's worth again. */
const keepAtMost = 10_000;

/** `perSecond` calls, and as many at once after a second of silence; 0 for any number. */
export function createCallRate(perSecond: number): CallRate {
  if (perSecond === 0) return { take: () => undefined };
  const buckets = new LRUCache<string, TokenBucket>({ max: keepAtMost });
  return {
    take({ tenantId, credentialId }) {
      const whose = `${tenantId}/${credentialId}`;
      let bucket = buckets.get(whose);
      if (bucket === undefined) {
        bucket = fullBucket(perSecond, perSecond);
        buckets.set(whose, bucket);
      }
      if (!bucket.tryRemoveTokens(1)) throw tooFast(perSecond, bucket.getWaitTime(1) / 1000);
    },
  };
}

/** The library's own begins empty. */
export function fullBucket(bucketSize: number, tokensPerInterval: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: Math.max(1, bucketSize), tokensPerInterval, interval: 1000 });
  bucket.content = bucket.bucketSize;
  return bucket;
}

function tooFast(perSecond: number, retryAfterSeconds: number): CallError {
  return new CallError('RATE_LIMITED', {
    message: `This credential may make ${perSecond} calls in a second at each server, and has made them. Nothing was recorded and nothing ran.`,
    limitJson: String(perSecond),
    retryAfterSeconds,
  });
}
