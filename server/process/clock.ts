import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../lifecycle/ports/process.ts';

/** The time of this machine. */
export const clock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  delay: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
