import type { WatchedCall } from '../lifecycle/ports/telemetry.ts';

/** The same source, each step of which runs as part of the call: a generator runs where it is asked, not where it was made. */
export function withinCall<T>(watch: WatchedCall, source: AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: () => watch.within(() => iterator.next()),
        return: () =>
          watch.within(() => iterator.return?.() ?? Promise.resolve({ done: true as const, value: undefined })),
      };
    },
  };
}
