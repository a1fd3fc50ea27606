import type { EndpointLoad, Place } from '../lifecycle/ports/dispatcher.ts';

/** The calls that an endpoint takes at a time; who comes later waits in line, for a bounded time. */
export interface Places {
  /** Undefined when none was free in time, or the signal fired. `limit` is looked up anew whenever one is given away. */
  take(endpoint: string, limit: () => number, signal: AbortSignal | undefined): Promise<Place | undefined>;
  /** Of every endpoint that was ever called. */
  load(): readonly EndpointLoad[];
}

interface Line {
  taken: number;
  readonly waiting: Set<() => void>;
}

/** `waitMs`: how long a call waits for its place, milliseconds. */
export function createPlaces(waitMs = 5_000): Places {
  const lines = new Map<string, Line>();

  function lineOf(endpoint: string): Line {
    const line = lines.get(endpoint) ?? { taken: 0, waiting: new Set() };
    lines.set(endpoint, line);
    return line;
  }

  return {
    load: () =>
      [...lines].map(([endpoint, { taken, waiting }]) => ({ endpoint, underWay: taken, waiting: waiting.size })),
    async take(endpoint, limit, signal) {
      if (signal?.aborted) return undefined;
      const line = lineOf(endpoint);
      if (line.taken < limit() && line.waiting.size === 0) return seat(line, limit);
      return new Promise((resolve) => {
        const settle = (place: Place | undefined) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          line.waiting.delete(called);
          resolve(place);
        };
        const called = () => settle(seat(line, limit));
        const leave = () => settle(undefined);
        const timer = setTimeout(leave, waitMs);
        signal?.addEventListener('abort', leave, { once: true });
        line.waiting.add(called);
      });
    },
  };
}

function seat(line: Line, limit: () => number): Place {
  line.taken += 1;
  let given = true;
  return {
    release() {
      if (!given) return;
      given = false;
      line.taken -= 1;
      for (const called of line.waiting) {
        if (line.taken >= limit()) break;
        called();
      }
    },
  };
}
