import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { invalidRequest } from '../invalid-request.ts';

/** The range of google.protobuf.Timestamp: the years 1 to 9999. */
const first = Date.parse('0001-01-01T00:00:00Z');
const last = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A point in time, rounded down to the millisecond, so that nobody is taken to have looked later than they did. Throws
 * INVALID_REQUEST for what is out of range.
 */
export function dateFromWire({ seconds, nanos }: Timestamp, field: string): Date {
  const milliseconds = Number(seconds) * 1000 + Math.floor(nanos / 1e6);
  const tangled = nanos < 0 || nanos > 999_999_999;
  if (milliseconds >= first && milliseconds <= last && !tangled) return new Date(milliseconds);
  throw invalidRequest({
    message: `${field} must be a time of the years 1 to 9999: seconds since 1970, and 0 to 999,999,999 nanoseconds beside them.`,
    field,
    receivedJson: JSON.stringify({ seconds: String(seconds), nanos }),
  });
}
