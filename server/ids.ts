import { randomBytes } from 'node:crypto';
import type { ActionId } from './domain/action.ts';
import type { Ids } from './lifecycle/ports/process.ts';

/** Ids of one process within one millisecond, before the next one is borrowed from. */
const countedBits = 12;

/**
 * UUIDv7 (RFC 9562): 48 bits of milliseconds, 12 bits that count within one, 62 random bits. In the order of time, so that the
 * newest come first in a list and new rows lie together in an index; and nobody can guess one.
 */
export function createIds(wall: () => number): Ids {
  let last = 0;
  let count = 0;
  /** Milliseconds and a count that never go back, also when the clock does. */
  const tick = () => {
    const now = Math.floor(wall());
    count = now > last ? 0 : count + 1;
    last = Math.max(now, last) + (count >> countedBits);
    count &= (1 << countedBits) - 1;
  };
  return {
    actionId() {
      tick();
      const bytes = randomBytes(16);
      bytes.writeUIntBE(last, 0, 6);
      bytes.writeUInt16BE(0x7000 | count, 6);
      bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
      const hex = bytes.toString('hex');
      const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
      return groups.join('-') as ActionId;
    },
  };
}
