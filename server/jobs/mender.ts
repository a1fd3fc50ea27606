import { setTimeout as delay } from 'node:timers/promises';

/** Mends the chains once after trouble, when the database can be reached again. */
export interface Mender {
  /** However often it is called meanwhile, the chains are mended once. */
  mendSoon(): void;
  stop(): void;
}

const pauseMs = 1_000;

export function createMender(mend: () => Promise<void>): Mender {
  const stopping = new AbortController();
  let busy = false;
  const untilMended = async (): Promise<void> => {
    for (;;) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const mended = await mend().then(
        () => true,
        () => false,
      );
      if (mended) return;
    }
  };
  return {
    mendSoon() {
      if (busy || stopping.signal.aborted) return;
      busy = true;
      void untilMended().finally(() => {
        busy = false;
      });
    },
    stop: () => stopping.abort(),
  };
}
