/** Something that a test waits for, or makes wait. */
export interface Gate {
  readonly opened: Promise<undefined>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { opened: promise, open: () => resolve(undefined) };
}
