import type { Writable } from 'node:stream';

/**
 * Calls back once when something that a command printed could not be written (a full disk): then what it was called for is not all
 * there. Somebody who reads no further, as with `| head`, has what they wanted.
 */
export function onUnwritten(stream: Writable, unwritten: (reason: string) => void): void {
  let isTold = false;
  stream.on('error', (error) => {
    const code = 'code' in error ? String(error.code) : error.name;
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    unwritten(code);
  });
}
