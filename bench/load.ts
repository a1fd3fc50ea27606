/** How hard to push, and for how long: by time, or until so many are done. */
export interface Load {
  /** Lifecycles under way at any moment: a new one begins when one ends (a closed loop). */
  readonly inFlight: number;
  readonly until: { readonly ms: number } | { readonly lifecycles: number };
}

/** What came of it. */
export interface Measured {
  readonly lifecycles: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Milliseconds from the stage to the confirm's answer, the lower median and the 99th percentile. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Runs lifecycles in a closed loop. The first that rejects ends the run: a benchmark with failures in it measures nothing.
 * The rate counts what began and ended within the run, over the time to the last end.
 */
export async function runLoad(lifecycle: () => Promise<void>, { inFlight, until }: Load): Promise<Measured> {
  const latencies: number[] = [];
  let begun = 0;
  let failed = false;
  const start = performance.now();
  const more = (): boolean => {
    if (failed) return false;
    return 'ms' in until ? performance.now() - start < until.ms : begun < until.lifecycles;
  };
  const loop = async (): Promise<void> => {
    while (more()) {
      begun++;
      const from = performance.now();
      try {
        await lifecycle();
      } catch (error) {
        failed = true;
        throw error;
      }
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    lifecycles: latencies.length,
    seconds,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

/** The nearest-rank quantile of ascending numbers; NaN of none. */
function quantile(ascending: readonly number[], q: number): number {
  return ascending[Math.max(0, Math.ceil(q * ascending.length) - 1)] ?? Number.NaN;
}

/** The lower median, so that it is a number that was measured. */
export function median(numbers: readonly number[]): number {
  return quantile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  );
}
