import type { Clock, Log } from '../lifecycle/ports/process.ts';

/** What was started, to be closed in the opposite order. */
export interface Parts {
  /** Closes it when all is closed. */
  add<T extends { close(): Promise<unknown> }>(part: T): T;
  onClose(close: () => Promise<unknown>): void;
  /** What is left of the drain's time, which all parts share, milliseconds; all of it before the closing begins. */
  leftMs(): number;
  /** Closes everything, once; a part that fails or hangs does not keep the others open. Never rejects. */
  close(): Promise<void>;
}

/** How much longer than the drain's time a part may take: enough to let go of what answers, milliseconds. */
const beyondMs = 2_000;

export function createParts(drainMs: number, clock: Clock, log: Log): Parts {
  const closers: (() => Promise<unknown>)[] = [];
  let endAt: number | undefined;
  let closed: Promise<void> | undefined;

  const leftMs = () => (endAt === undefined ? drainMs : Math.max(0, endAt - clock.monotonic()));

  async function inTime(close: () => Promise<unknown>): Promise<void> {
    const done = new AbortController();
    const closing = close()
      .catch((error: unknown) => log.error({ err: error }, 'a part did not close cleanly'))
      .finally(() => done.abort());
    const late = clock.delay(leftMs() + beyondMs, done.signal);
    await Promise.race([closing, late]);
    if (!done.signal.aborted) log.warn({}, 'a part did not close in time and is left behind');
  }

  async function closeAll(): Promise<void> {
    endAt = clock.monotonic() + drainMs;
    for (const close of closers.reverse()) await inTime(close);
  }

  return {
    add(part) {
      closers.push(() => part.close());
      return part;
    },
    onClose: (close) => void closers.push(close),
    leftMs,
    close: () => (closed ??= closeAll()),
  };
}
