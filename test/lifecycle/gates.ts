/** Points at which a call waits until the test says so: interleavings are forced, never hoped for. */

/** A place where the next call that comes by stops, once. */
export interface Gate {
  /** Resolves when a call stands there. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  pass(): void;
  /** It ends there, with this error. */
  fail(error: Error): void;
}

export interface Gates<Point extends string> {
  /** For the next call that comes to the point; several are taken in order. */
  hold(point: Point): Gate;
  /** Called by whoever comes to the point: waits if it is held. */
  come(point: Point): Promise<void>;
}

export function createGates<Point extends string>(): Gates<Point> {
  const held = new Map<Point, { arrive(): void; readonly opened: Promise<void> }[]>();
  return {
    hold(point) {
      const reached = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      opened.promise.catch(() => undefined); // whoever waits there is told
      held.set(point, [...(held.get(point) ?? []), { arrive: reached.resolve, opened: opened.promise }]);
      return { reached: reached.promise, pass: opened.resolve, fail: opened.reject };
    },
    async come(point) {
      const gate = held.get(point)?.shift();
      gate?.arrive();
      await gate?.opened;
    },
  };
}
