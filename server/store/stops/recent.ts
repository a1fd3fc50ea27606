import { LRUCache } from 'lru-cache';
import type { Stop } from '../../domain/stop.ts';
import { trustMs } from '../effective.ts';

/** What the database was asked of a tenant, and may have answered by now. */
interface Asked {
  readonly answer: Promise<readonly Stop[]>;
  /** Until when the answer counts, by the monotonic clock. */
  readonly until: number;
}

const rememberAtMost = 10_000;

/** Remembers for {@link trustMs} what is stopped in a tenant; who asks meanwhile waits for the same answer. Failures are not kept. */
export function createRecentStops(
  list: (tenantId: string) => Promise<readonly Stop[]>,
  now: () => number = () => performance.now(),
): (tenantId: string) => Promise<readonly Stop[]> {
  const known = new LRUCache<string, Asked>({ max: rememberAtMost });
  return (tenantId) => {
    const before = known.get(tenantId);
    if (before !== undefined && now() < before.until) return before.answer;
    const answer = list(tenantId);
    const asked: Asked = { answer, until: now() + trustMs };
    known.set(tenantId, asked);
    answer.catch(() => {
      if (known.peek(tenantId) === asked) known.delete(tenantId);
    });
    return answer;
  };
}
