/**
 * Waits until everything that the operating system had to tell when it was called has been heard: a goodbye of the peer,
 * above all, that has arrived but was not read yet. Immediates run after the poll for events, and the second one runs
 * after a poll that began later than the call.
 */
export function eventsHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
