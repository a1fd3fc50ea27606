/** How long what is left may take to end by itself, milliseconds. */
const graceMs = 1_000;

/**
 * Ends the process when its work is done and something still holds it: a socket to a database that does not answer, a part that did
 * not close in time. A process that nothing holds ends at once.
 */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), graceMs).unref();
}
