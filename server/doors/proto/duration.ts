import type { Duration } from '@bufbuild/protobuf/wkt';
import { invalidRequest } from '../invalid-request.ts';

/** Whole milliseconds, rounded up so that a short wait never becomes none; throws INVALID_REQUEST for what is out of range. */
export function millisecondsFromWire(duration: Duration | undefined, field: string): number | undefined {
  if (duration === undefined) return undefined;
  const milliseconds = Number(duration.seconds) * 1000 + Math.ceil(duration.nanos / 1e6);
  const tangled = duration.nanos < 0 || duration.nanos > 999_999_999;
  if (Number.isSafeInteger(milliseconds) && !tangled) return milliseconds;
  throw invalidRequest({
    message: `${field} must be a duration: whole seconds, and 0 to 999,999,999 nanoseconds beside them.`,
    field,
    receivedJson: JSON.stringify({ seconds: String(duration.seconds), nanos: duration.nanos }),
  });
}
