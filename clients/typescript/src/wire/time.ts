import type { Duration, Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';

/** A time that is always there. */
export function dateOf(timestamp: Timestamp | undefined): Date {
  return timestamp === undefined ? new Date(Number.NaN) : timestampDate(timestamp);
}

/** A time that may not be there. */
export function dateIf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}

/** Milliseconds, rounded up: nobody waits less for it. */
export function millisecondsIf(duration: Duration | undefined): number | undefined {
  return duration && Number(duration.seconds) * 1000 + Math.ceil(duration.nanos / 1e6);
}
