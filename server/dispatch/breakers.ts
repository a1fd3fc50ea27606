import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
} from 'cockatiel';
import type { EndpointSettings } from '../domain/endpoint.ts';
import { type ReadOutcome, unavailable } from './classify-read.ts';
import type { DispatchLog } from './one-call.ts';

/**
 * Circuit breakers for reads, one for each endpoint: after so many attempts in a row that found it unavailable, none is made for a
 * while; then one is, and its outcome decides. Writes are not held up: a person decided, and a write is sent once.
 */
export interface Breakers {
  /** Makes the attempt, or answers at once that the endpoint is left alone for now. */
  through(settings: EndpointSettings, attempt: () => Promise<ReadOutcome>): Promise<ReadOutcome>;
}

interface Breaker {
  readonly failures: number;
  readonly openMs: number;
  readonly policy: CircuitBreakerPolicy;
  /** Milliseconds since the epoch; when it opened last. */
  openedAt: number;
}

/** While the one attempt that decides is under way, seconds. */
const afterTrialSeconds = 1;

/** Makes breakers that are all closed. Like the library, they go by the wall clock. */
export function createBreakers(log: DispatchLog | undefined): Breakers {
  const breakers = new Map<string, Breaker>();

  function breakerOf({ name, breaker }: EndpointSettings): Breaker | undefined {
    if (breaker === undefined) return undefined;
    const known = breakers.get(name);
    if (known?.failures === breaker.failures && known.openMs === breaker.openMs) return known;
    const made = create(name, breaker, log);
    breakers.set(name, made);
    return made;
  }

  return {
    async through(settings, attempt) {
      const breaker = breakerOf(settings);
      if (breaker === undefined) return attempt();
      const { policy, openMs, openedAt } = breaker;
      // The library would have callers wait for the outcome of the attempt that decides.
      if (policy.state === CircuitState.HalfOpen) return leftAlone(afterTrialSeconds);
      const leftMs = openedAt + openMs - Date.now();
      if (policy.state === CircuitState.Open && leftMs > 0) return leftAlone(Math.ceil(leftMs / 1000));
      return policy.execute(attempt);
    },
  };
}

function create(
  endpoint: string,
  { failures, openMs }: NonNullable<EndpointSettings['breaker']>,
  log: DispatchLog | undefined,
): Breaker {
  const policy = circuitBreaker(handleWhenResult(isUnavailable), {
    halfOpenAfter: openMs,
    breaker: new ConsecutiveBreaker(failures),
  });
  const breaker: Breaker = { failures, openMs, policy, openedAt: 0 };
  policy.onBreak(() => {
    breaker.openedAt = Date.now();
    log?.warn(
      { endpoint, failures, open_ms: openMs },
      'reads found the endpoint unavailable; it is left alone for a while',
    );
  });
  policy.onReset(() => log?.warn({ endpoint }, 'the endpoint answers reads again'));
  return breaker;
}

/** What another attempt may find otherwise; an answer of any kind shows that it is there. */
function isUnavailable(outcome: unknown): boolean {
  const { kind, again } = outcome as { readonly kind: string; readonly again?: boolean };
  return kind === 'failed' && again === true;
}

function leftAlone(retryAfterSeconds: number): ReadOutcome {
  const { error } = unavailable('the endpoint was unavailable several times in a row and is left alone for now', true);
  return { kind: 'failed', again: false, error: { ...error, retryAfterSeconds } };
}
