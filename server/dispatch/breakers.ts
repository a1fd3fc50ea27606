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
  /**
   * Makes the attempt, or answers at once that the endpoint is left alone for now. An attempt whose caller left before there was an
   * answer says nothing of the endpoint: it is not counted, and if it was to decide, the endpoint is left alone for another while.
   */
  through(
    settings: EndpointSettings,
    attempt: () => Promise<ReadOutcome>,
    caller: AbortSignal | undefined,
  ): Promise<ReadOutcome>;
}

/** What an attempt showed of its endpoint. */
interface Shown {
  readonly outcome: ReadOutcome;
  readonly unavailable: boolean;
}

/** Ends an attempt past the library, which does not count what is thrown. */
class NothingShown extends Error {
  readonly outcome: ReadOutcome;

  constructor(outcome: ReadOutcome) {
    super('the caller left');
    this.outcome = outcome;
  }
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
    async through(settings, attempt, caller) {
      const breaker = breakerOf(settings);
      if (breaker === undefined) return attempt();
      const { policy, openMs, openedAt } = breaker;
      // The library would have callers wait for the outcome of the attempt that decides.
      if (policy.state === CircuitState.HalfOpen) return leftAlone(afterTrialSeconds);
      const leftMs = openedAt + openMs - Date.now();
      if (policy.state === CircuitState.Open && leftMs > 0) return leftAlone(Math.ceil(leftMs / 1000));
      const decides = policy.state === CircuitState.Open;
      const counted = async (): Promise<Shown> => {
        const outcome = await attempt();
        const shows = outcome.kind === 'result' || outcome.again || caller?.aborted !== true;
        if (!shows && !decides) throw new NothingShown(outcome);
        return { outcome, unavailable: !shows || isUnavailable(outcome) };
      };
      try {
        return (await policy.execute(counted)).outcome;
      } catch (error) {
        if (error instanceof NothingShown) return error.outcome;
        throw error;
      }
    },
  };
}

function create(
  endpoint: string,
  { failures, openMs }: NonNullable<EndpointSettings['breaker']>,
  log: DispatchLog | undefined,
): Breaker {
  const policy = circuitBreaker(handleWhenResult(shownUnavailable), {
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
function isUnavailable(outcome: ReadOutcome): boolean {
  return outcome.kind === 'failed' && outcome.again;
}

function shownUnavailable(shown: unknown): boolean {
  return typeof shown === 'object' && shown !== null && 'unavailable' in shown && shown.unavailable === true;
}

function leftAlone(retryAfterSeconds: number): ReadOutcome {
  const { error } = unavailable('the endpoint was unavailable several times in a row and is left alone for now', true);
  return { kind: 'failed', again: false, error: { ...error, retryAfterSeconds } };
}
