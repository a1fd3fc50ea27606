import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Where a command writes that has more to say than fits into memory. */
export interface Pipe {
  /** Resolves when there is room for more, or nobody reads on. */
  write(text: string): Promise<void>;
  /** Fires when whoever read this has seen enough, as with `| head`; the reason is undefined then. */
  readonly closed: AbortSignal;
}

export function pipeTo(stream: Writable): Pipe {
  const ending = new AbortController();
  // Left in place: an error that nobody listens for ends the process with a stack.
  stream.on('error', () => ending.abort());
  return {
    closed: ending.signal,
    async write(text) {
      if (ending.signal.aborted || stream.write(text)) return;
      await once(stream, 'drain', { signal: ending.signal }).catch(() => undefined);
    },
  };
}
