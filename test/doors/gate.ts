import type { EventEmitter } from 'node:events';

/** Something that a test waits for, or makes wait. */
export interface Gate {
  readonly opened: Promise<undefined>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { opened: promise, open: () => resolve(undefined) };
}

/** Whatever it ended with; unlike `once`, which takes an error for the end of the test. */
export function closed(ending: EventEmitter): Promise<void> {
  return new Promise((resolve) => ending.once('close', () => resolve()));
}
