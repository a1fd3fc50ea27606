import { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';

/** The streams without an end of their own that credentials have open at this server. */
export interface OpenStreams {
  /** Counts one more; throws RATE_LIMITED when there are too many. Call what it returns when it has ended. */
  open(principal: Principal): () => void;
}

/** How long a watcher should wait for one of its own to end, seconds. */
const retryAfterSeconds = 5;

/** At most `most` for each credential; 0 for any number. */
export function createOpenStreams(most: number): OpenStreams {
  const counts = new Map<string, number>();
  return {
    open({ tenantId, credentialId }) {
      const whose = `${tenantId}/${credentialId}`;
      const count = counts.get(whose) ?? 0;
      if (most !== 0 && count >= most) throw tooMany(most);
      counts.set(whose, count + 1);
      return () => {
        const left = (counts.get(whose) ?? 0) - 1;
        if (left > 0) counts.set(whose, left);
        else counts.delete(whose);
      };
    },
  };
}

function tooMany(most: number): CallError {
  return new CallError('RATE_LIMITED', {
    message: `This credential may watch by ${most} streams at once at each server, and has them open. End one that nobody reads; one stream tells of everything that the credential may see.`,
    limitJson: String(most),
    retryAfterSeconds,
  });
}
