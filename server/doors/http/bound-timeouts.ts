/** The longest that Node's timers can wait, in milliseconds (24 days); a longer one fires at once. */
const longestMs = 2 ** 31 - 1;

const unitsMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Shortens a caller's timeout to what can be waited, in place. What cannot be read is left for the library to refuse. */
export function boundTimeouts(header: Headers): void {
  const connect = header.get('connect-timeout-ms');
  if (connect !== null && /^\d{1,10}$/.test(connect) && Number(connect) > longestMs)
    header.set('connect-timeout-ms', String(longestMs));
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(header.get('grpc-timeout') ?? '') ?? [];
  if (amount !== undefined && unit !== undefined && Number(amount) * (unitsMs[unit] ?? 0) > longestMs)
    header.set('grpc-timeout', `${Math.floor(longestMs / 1000)}S`);
}
