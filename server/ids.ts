import { randomBytes } from 'node:crypto';
import type { ActionId } from './domain/action.ts';
import type { Ids } from './lifecycle/ports.ts';

/**
 * UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. In the order of time, so that the newest come first in a
 * list and new rows lie together in an index; and nobody can guess one.
 */
export function createIds(wall: () => number): Ids {
  return {
    actionId() {
      const bytes = randomBytes(16);
      bytes.writeUIntBE(wall(), 0, 6);
      bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
      bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
      const hex = bytes.toString('hex');
      const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
      return groups.join('-') as ActionId;
    },
  };
}
