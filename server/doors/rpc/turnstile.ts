/** Lets so many through in each turn of the event loop, in the order in which they came. */
export interface Turnstile {
  pass(): Promise<void>;
}

/**
 * What many long streams have to tell goes through here, so that between their answers everybody else has a turn: a call waits for a
 * few of them, and not for all.
 */
export function createTurnstile(perTurn: number): Turnstile {
  let waiting: (() => void)[] = [];
  let turning = false;

  function turn(): void {
    const through = waiting.slice(0, perTurn);
    waiting = waiting.slice(perTurn);
    for (const go of through) go();
    if (waiting.length > 0) setImmediate(turn);
    else turning = false;
  }

  return {
    pass: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (turning) return;
        turning = true;
        setImmediate(turn);
      }),
  };
}
